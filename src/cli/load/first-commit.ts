/**
 * The repository that a folder is in, or the commands that make it one with a first commit.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the lines of commands, for any shell; none if the folder is in a repository. Files that must not be committed are ignored
 * before the commit, if `.gitignore` does not say so.
 *
 * @param folder An absolute path.
 */
export function firstCommit(folder: string): readonly string[] {
  if (repositoryOf(folder) !== undefined) return [];
  const known = ignoreLines(folder);
  const missing = IGNORED.filter(
    ({ spellings }) => !spellings.some((lines) => lines.every((one) => known.includes(one))),
  );
  const rest = known.length === 0 || known.at(-1) === '' ? '' : String.raw`\n`;
  const added = missing.map(({ line }) => `${line}${String.raw`\n`}`).join('');
  return [
    ...(missing.length === 0
      ? []
      : [
          `node --eval "fs.appendFileSync('.gitignore', '${rest}${added}')"   # packages and secrets stay out of commits`,
        ]),
    'git init && git add --all && git status   # read what will be committed',
    'git commit --message Begin   # agents start from your last commit',
  ];
}

/** Returns the top of the repository that a folder is in; `undefined` if it is in none. @param folder An absolute path. */
export function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryOf(above);
}

// --- internal ---

/** An entry of `.gitignore`. */
interface Ignored {
  readonly line: string;
  /** Lists of lines, each of which says the same. A line of the top folder only, such as `/node_modules`, does not. */
  readonly spellings: readonly (readonly string[])[];
}

const IGNORED: readonly Ignored[] = [
  { line: 'node_modules/', spellings: [['node_modules/'], ['node_modules']] },
  { line: '.env*', spellings: [['.env*'], ['.env', '.env.*']] },
];

/** Returns the lines of `.gitignore`. The last one is empty if the file ends with a line end; a file that cannot be read has none. */
function ignoreLines(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, '.gitignore'), 'utf8')
      .split('\n')
      .map((line) => line.trim());
  } catch {
    return [];
  }
}
