/**
 * The environment of git: nothing of the caller's git variables, and settings under which it runs no program of a repository.
 *
 * @module
 */
import type { Author } from '../options.ts';

/** A setting of git and its value. */
export type Setting = readonly [key: string, value: string];

/** Returns the variables for git. `undefined` values are absent. */
export function gitEnvironment(author: Author, settings: readonly Setting[]): Readonly<Record<string, string>> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || (/^GIT_/iu.test(name) && !KEPT.test(name)) ? [] : [[name, value] as const],
  );
  const all = [...SETTINGS, ...settings];
  return {
    ...Object.fromEntries(inherited),
    ...FIXED,
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    // As variables, since a key in an argument ends at its first equals sign.
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** Settings that turn the content filters with these names off. An empty command is none. */
export function withoutFilters(names: readonly string[]): readonly Setting[] {
  return names.flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.smudge`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ]);
}

/** Settings that replace the merge drivers with these names by git's own merge of text. */
export function withoutMergeDrivers(names: readonly string[]): readonly Setting[] {
  return names.map((name) => [`merge.${name}.driver`, 'git merge-file -q --marker-size=%L %A %O %B']);
}

// --- internal ---

/** Variables that say where git is installed. */
const KEPT = /^GIT_EXEC_PATH$/iu;

const FIXED = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_EDITOR: 'true',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

const SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.sparseCheckout', 'false'],
  ['core.safecrlf', 'false'],
  ['core.quotePath', 'false'],
  ['core.trustctime', 'true'],
  ['core.checkStat', 'default'],
  // Another process may hold the lock of a ref for a moment.
  ['core.filesRefLockTimeout', '10000'],
  ['core.packedRefsTimeout', '10000'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['advice.detachedHead', 'false'],
  // As many as there are cores, for a checkout of many files.
  ['checkout.workers', '0'],
];
