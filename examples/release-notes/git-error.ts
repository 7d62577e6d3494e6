/** Reasons that reading from git failed. */
export type GitErrorCode =
  'GIT_MISSING' | 'GIT_FAILED' | 'NOT_A_REPOSITORY' | 'NO_HISTORY' | 'COMMIT_UNKNOWN' | 'SHALLOW';

/** A failure of git, with a hint. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, problem: string, hint: string, cause?: unknown) {
    super(`${problem}\n${hint}`, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
