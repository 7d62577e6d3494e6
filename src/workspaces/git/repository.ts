/**
 * The user's repository, and git as it runs for it.
 *
 * Git reads a workspace with the user's repository as its directory and an index of our own. Configuration, hooks and
 * attributes that an agent has put into the workspace's `.git` therefore have no effect.
 *
 * @module
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { gitEnvironment, withoutFilters, withoutMergeDrivers } from './environment.ts';
import type { Author } from '../options.ts';
import { createLastingNames, type LastingNames } from './lasting-names.ts';
import { itemsOf, runGit, textOf, type GitCall, type GitEnd } from './run-git.ts';
import { unusable } from './unusable.ts';

/** Options of one call, for a repository that is known. */
export interface RepositoryCall extends Pick<GitCall, 'input' | 'codes' | 'maxBytes' | 'cut' | 'log'> {
  /** Folder with the files. @default none */
  readonly workTree?: string | undefined;
  /** Working directory, where git looks for attributes. @default the top of the user's folder, or the git directory */
  readonly cwd?: string | undefined;
  /** Index file. @default one that does not exist */
  readonly index?: string | undefined;
  /** The git directory of a clone that no agent has seen yet. @default that of the user */
  readonly freshGitDir?: string | undefined;
  /** Folders of objects. The first is written to, the others are only read. @default that of the repository */
  readonly objects?: readonly [string, ...string[]] | undefined;
  /** Milliseconds, if fewer than for other calls. */
  readonly timeout?: number | undefined;
  /** Runs the content filters of the user's configuration. Only for the user's own folder. @default false */
  readonly filters?: boolean | undefined;
}

/** A repository, for the time of one operation. */
export interface Repository {
  /** The top of the user's working tree. */
  readonly folder: string;
  readonly gitDir: string;
  /** The git directory that all working trees share. */
  readonly commonDir: string;
  /** The id that stands for no object. */
  readonly zero: string;
  readonly isShallow: boolean;
  readonly author: Author;
  readonly signal: AbortSignal;
  readonly lasting: LastingNames;
  /** Settings that convert files, each as `key=value`. */
  readonly conversions: readonly string[];
  git(args: readonly string[], call?: RepositoryCall): Promise<GitEnd>;
  /** Runs git, and returns its output as text without the line end. */
  text(args: readonly string[], call?: RepositoryCall): Promise<string>;
  /** The same repository with another signal, such as to tidy up after an abort. */
  withSignal(signal: AbortSignal): Repository;
  /** Runs git outside of any repository, such as to clone this one. */
  outside(args: readonly string[], cwd: string): Promise<GitEnd>;
}

/** Options of {@link repositoryOpener}. */
export interface RepositoryOptions {
  readonly folder: string;
  readonly author: Author;
  /** Milliseconds for each call of git. */
  readonly timeout: number;
}

/** Opens a repository for one operation. @throws PhasegateError `REPOSITORY_UNUSABLE` */
export type OpenRepository = (signal: AbortSignal) => Promise<Repository>;

/** Opens the repository of a folder. The version of git and its folders are looked up once, and the configuration each time. */
export function repositoryOpener(options: RepositoryOptions): OpenRepository {
  const { folder, author, timeout } = options;
  let facts: Facts | undefined;
  return async (signal) => {
    const call = { cwd: folder, env: gitEnvironment(author, []), timeout, signal };
    if (!facts) {
      await requireVersion(call);
      facts = await factsOf(folder, call);
    }
    return bindDrivers(facts, options, call);
  };
}

// --- internal ---

/** The first version of git that merges without a working tree. */
const LEAST = [2, 38] as const;

/** Binds a repository to the filters and merge drivers that its configuration has now. An agent may have added some. */
async function bindDrivers(
  facts: Facts,
  { folder, author, timeout }: RepositoryOptions,
  call: PlainCall,
): Promise<Repository> {
  const env = { ...call.env, GIT_DIR: facts.gitDir };
  const drivers = await driversOf({ ...call, cwd: facts.commonDir, env });
  if (drivers.isPartial) {
    const hint =
      'Fetch the missing files: git fetch --refetch --no-filter, then unset its `promisor` and `partialclonefilter`.';
    throw unusableFolder(folder, 'has a partial clone, without all files', hint);
  }
  const settings = withoutMergeDrivers(drivers.merge);
  const closed = gitEnvironment(author, [...settings, ...withoutFilters(drivers.filter)]);
  const open = gitEnvironment(author, settings);
  return bind({ facts, author, timeout, open, closed, conversions: drivers.conversions }, call.signal);
}

interface Binding {
  readonly facts: Facts;
  readonly author: Author;
  readonly timeout: number;
  readonly conversions: readonly string[];
  /** Variables with the user's filters, and without them. */
  readonly open: Readonly<Record<string, string>>;
  readonly closed: Readonly<Record<string, string>>;
}

function bind(binding: Binding, signal: AbortSignal): Repository {
  const { facts, author, timeout, open, closed, conversions } = binding;
  function git(args: readonly string[], call: RepositoryCall = {}): Promise<GitEnd> {
    const { workTree, index = join(facts.commonDir, 'phasegate-no-index'), freshGitDir = facts.gitDir, filters } = call;
    const env = {
      ...(filters === true ? open : closed),
      GIT_DIR: freshGitDir,
      GIT_INDEX_FILE: index,
      ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
      ...(call.objects && objectVariables(call.objects)),
    };
    // Within a working tree, git would list the files of the current folder only.
    const cwd = call.cwd ?? (workTree === facts.folder ? facts.folder : facts.commonDir);
    return runGit(args, { ...call, cwd, env, timeout: Math.min(timeout, call.timeout ?? timeout), signal });
  }
  return {
    ...facts,
    author,
    signal,
    conversions,
    git,
    async text(args, call) {
      return (await git(args, call)).output.toString('utf8').replace(/\n$/u, '');
    },
    withSignal: (another) => bind(binding, another),
    outside: (args, cwd) => runGit(args, { cwd, env: closed, timeout, signal }),
  };
}

type Facts = Pick<Repository, 'folder' | 'gitDir' | 'commonDir' | 'zero' | 'isShallow' | 'lasting'>;

type PlainCall = Pick<GitCall, 'cwd' | 'env' | 'timeout' | 'signal'>;

async function requireVersion(call: PlainCall): Promise<void> {
  const { output } = await runGit(['version'], call);
  const text = output.toString('utf8').trim();
  const [, major = '0', minor = '0'] = /^git version (\d{1,4})\.(\d{1,4})/u.exec(text) ?? [];
  if (Number(major) > LEAST[0] || (Number(major) === LEAST[0] && Number(minor) >= LEAST[1])) return;
  throw unusable(
    `Cannot make workspaces as git ${LEAST.join('.')} or later is needed: ${text.slice(0, 80)}`,
    'Install a later git.',
  );
}

async function factsOf(folder: string, call: PlainCall): Promise<Facts> {
  const words = ['rev-parse', '--path-format=absolute', '--is-bare-repository', '--is-shallow-repository'];
  const { code, output } = await runGit([...words, '--show-object-format', '--git-dir', '--git-common-dir'], {
    ...call,
    codes: [0, 128],
  });
  const [isBare, isShallow, format, gitDir, commonDir, ...more] = output.toString('utf8').trimEnd().split('\n');
  if (code !== 0 || gitDir === undefined || commonDir === undefined || more.length > 0) {
    throw unusableFolder(folder, 'is in no git repository, or git refuses to read it', NO_REPOSITORY);
  }
  if (isBare === 'true') throw unusableFolder(folder, 'has a bare repository', 'Give a folder with a working tree.');
  const top = await runGit(['rev-parse', '--show-toplevel'], { ...call, codes: [0, 128] });
  const shown = top.output.toString('utf8').replace(/\n$/u, '');
  if (top.code !== 0 || shown === '')
    throw unusableFolder(folder, 'has no working tree', 'Give the folder of the files.');
  return {
    folder: await realpath(shown),
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    zero: '0'.repeat(format === 'sha256' ? 64 : 40),
    isShallow: isShallow === 'true',
    lasting: createLastingNames(),
  };
}

function unusableFolder(folder: string, problem: string, hint: string): PhasegateError {
  return unusable(`Cannot make workspaces as ${folder} ${problem}`, hint);
}

const NO_REPOSITORY =
  'Run `git status` there. The work of a run is in the repository that it began in. A new one is made by: git init';

interface Drivers {
  readonly filter: readonly string[];
  readonly merge: readonly string[];
  readonly conversions: readonly string[];
  /** True if git would fetch missing objects when it reads them. */
  readonly isPartial: boolean;
}

/** Settings that convert files. A clone with others would show each file as changed. */
const CONVERSIONS = /^core[.](?:autocrlf|eol|symlinks|filemode|longpaths|ignorecase|precomposeunicode)$/u;

/** Reads the filters, merge drivers and conversions that the configuration defines. */
async function driversOf(call: PlainCall): Promise<Drivers> {
  const wanted = '^((filter|merge|core)[.]|remote[.].*[.]promisor$)';
  const { output } = await runGit(['config', '-z', '--get-regexp', wanted], { ...call, codes: [0, 1] });
  const settings = itemsOf(output).map((item) => textOf(item).split('\n', 2));
  const keys = settings.map(([key = '']) => key);
  return {
    filter: namesIn(keys, 'filter.'),
    merge: namesIn(keys, 'merge.'),
    conversions: settings.flatMap(([key = '', value]) =>
      CONVERSIONS.test(key) ? [value === undefined ? key : `${key}=${value}`] : [],
    ),
    isPartial: keys.some((key) => key.startsWith('remote.')),
  };
}

/** Names between the section and the last dot. Keys of the section itself, such as `merge.tool`, have none. */
function namesIn(keys: readonly string[], section: string): readonly string[] {
  const own = keys.filter((key) => key.startsWith(section) && key.lastIndexOf('.') >= section.length);
  return [...new Set(own.map((key) => key.slice(section.length, key.lastIndexOf('.'))))];
}

function objectVariables([first, ...others]: readonly [string, ...string[]]): Readonly<Record<string, string>> {
  return {
    GIT_OBJECT_DIRECTORY: first,
    // In quotes, as a path may have the character that separates paths.
    ...(others.length > 0 && {
      GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quoted).join(process.platform === 'win32' ? ';' : ':'),
    }),
  };
}

function quoted(path: string): string {
  return /[":;\n\\]/u.test(path)
    ? `"${path.replaceAll(/["\\]/gu, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`
    : path;
}
