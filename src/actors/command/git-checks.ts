/**
 * Checks of a git working folder.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Check, CheckOptions } from '../../model/handlers/phase.ts';
import type { CheckResult } from '../../model/review/check.ts';
import { cutList } from '../../model/values/counts.ts';
import { plainText } from '../../model/values/plain-text.ts';
import type { CommandContext } from './command-env.ts';
import { execute, failed, type CommandLine } from './command-line.ts';
import type { ProcessEnd } from './process.ts';

/** Options of the checks of a working folder. */
export interface GitOptions extends CheckOptions {
  /** Name of the check in records. @default 'merge conflicts', 'diff' */
  readonly name?: string | undefined;
  /** A folder of the working tree. @default that of the process */
  readonly cwd?: string | undefined;
}

/** Options of {@link nonEmptyDiff}. */
export interface DiffOptions extends GitOptions {
  /**
   * A commit or branch to compare with. The comparison begins at the merge base, so that others' work on that branch does not
   * count. Set it if the tasks commit their changes.
   *
   * @default 'HEAD'
   */
  readonly base?: string | undefined;
}

/**
 * A check that no file of the working tree has a merge conflict. It finds the conflicts that git knows. It also finds the markers
 * `<<<<<<<`, `=======` and `>>>>>>>`, each at the start of a line, in text files that are tracked or could be. The feedback names
 * the files. A failure of git itself is a review error.
 *
 * @example
 * ```ts
 * review: { checks: [noMergeConflicts(), commandCheck('tests', ['npm', 'test'], { kind: 'test' })] }
 * ```
 */
export function noMergeConflicts(options: GitOptions = {}): Check<unknown, unknown> {
  const { name = 'merge conflicts', cwd, ...more } = options;
  return {
    ...more,
    name,
    async run(context) {
      const git = gitIn(name, cwd, context);
      const unmerged = namesIn(await git(['diff', '--name-only', '--diff-filter=U', '--no-relative', '-z']));
      const marked = namesIn(await git(MARKED, [0, 1]));
      return conflictsIn([...new Set([...unmerged, ...marked])].toSorted());
    },
  };
}

/**
 * A check that the working tree differs from a commit: a tracked file was changed, added or removed, or there is a file that is
 * neither tracked nor ignored. A failure of git itself, such as an unknown base, is a review error.
 *
 * @throws PhasegateError `DEFINITION_INVALID` for a base that git would take for an option.
 */
export function nonEmptyDiff(options: DiffOptions = {}): Check<unknown, unknown> {
  const { name = 'diff', cwd, base = 'HEAD', ...more } = options;
  if (base === '' || base.startsWith('-')) throw noBase(base);
  return {
    ...more,
    name,
    async run(context) {
      const git = gitIn(name, cwd, context);
      const untracked = await git(['ls-files', '--others', '--exclude-standard', '-z', '--', ':/']);
      if (untracked.stdout !== '') return true;
      const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], [0, 1]);
      // Before the first commit, every tracked file is new.
      if (head.exitCode === 1 && base === 'HEAD') {
        const added = await git(['ls-files', '-z', '--', ':/']);
        return added.stdout !== '' || emptyDiff(base);
      }
      const fork = await git(['merge-base', base, 'HEAD'], [0, 1]);
      const from = fork.exitCode === 0 ? fork.stdout.trim() : base;
      const diff = await git(['diff', '--quiet', '--no-ext-diff', from, '--', ':/'], [0, 1]);
      return diff.exitCode === 1 || emptyDiff(base, from);
    },
  };
}

// --- internal ---

/** Runs git; throws if it ends with an exit code other than these. */
type Git = (args: readonly string[], codes?: readonly number[]) => Promise<ProcessEnd>;

/** Patterns for text files that have all three markers. Lines with a carriage return match as well. */
const MARKERS = ['^<{7}( |$)', '^={7}[[:space:]]*$', '^>{7}( |$)'];
const LISTED = ['--no-color', '--full-name', '--untracked', '-I', '-l', '-z'];
const MARKED = ['grep', ...LISTED, '-E', '--all-match', ...MARKERS.flatMap((one) => ['-e', one]), '--', ':/'];

const HINT = 'Set `cwd` to a folder of a git working tree, and `base`, if given, to a commit that git knows.';

/**
 * Variables of git for a check. It must not take locks that block other users of the folder. Programs read the output, so its
 * language is fixed. With literal paths, `:/` would be the name of a file, and no file would have a conflict.
 */
const VARIABLES = {
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
  GIT_LITERAL_PATHSPECS: '0',
};

/** Most files in the feedback. */
const MOST_FILES = 20;

function gitIn(name: string, cwd: string | undefined, context: CommandContext): Git {
  return async (args, codes = [0]) => {
    const line: CommandLine = ['git', ...args];
    const end = await execute(line, { cwd, env: VARIABLES }, context);
    if (end.exitCode === undefined || !codes.includes(end.exitCode)) {
      throw failed(line, end, { whose: ` for check "${name}"`, hint: HINT });
    }
    return end;
  };
}

function namesIn({ stdout }: ProcessEnd): readonly string[] {
  return stdout.split('\0').filter((name) => name !== '');
}

function conflictsIn(files: readonly string[]): CheckResult {
  if (files.length === 0) return true;
  const shown = cutList(files, MOST_FILES, (file) => plainText(file).replaceAll('\n', ' '));
  return {
    passed: false,
    requiredChange: `Resolve the merge conflicts in ${files.length === 1 ? shown.join('') : `${files.length} files`}.`,
    details: ['Merge conflicts, or their markers, are in:', ...shown].join('\n'),
    failures: [...files],
  };
}

function emptyDiff(base: string, from?: string): CheckResult {
  const commit = from === undefined || from === base ? base : `${base} (${from.slice(0, 12)})`;
  return {
    passed: false,
    requiredChange: 'Change at least one file.',
    details: `No file of the working folder differs from ${commit}, and none is new.`,
  };
}

function noBase(base: string): PhasegateError {
  const problem = `Cannot compare a working folder with ${JSON.stringify(base)} as it names no commit`;
  return new PhasegateError('DEFINITION_INVALID', problem, { hint: 'Give a commit or a branch, such as "main".' });
}
