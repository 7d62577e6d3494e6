/**
 * The port of workspaces: folders in which agents work, and the commits that their work becomes.
 *
 * @module
 */
import type { Note } from './note.ts';

/** Identifies one attempt of one task of a run. */
export interface AttemptPlace {
  readonly run: string;
  readonly phase: string;
  readonly generation: number;
  readonly attempt: number;
  readonly task: string;
  /** Equal for every try of the task in this attempt, also after a restart. Differs between attempts and tasks. */
  readonly key: string;
}

/** The commit that a run starts at. */
export interface RunBase {
  /** Id of the commit. */
  readonly base: string;
  /** Name of the run's branch, such as `phasegate/<run>`. */
  readonly branch: string;
  readonly notes: readonly Note[];
}

/** A file that differs between two commits. */
export interface ChangedFile {
  /** Path from the top of the repository, with slashes. Bytes that are not UTF-8 are replaced. */
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted' | 'typeChanged' | 'renamed';
}

/** Changed files of a workspace or a commit. */
export interface Changes {
  /** At most 10 000 files. */
  readonly files: readonly ChangedFile[];
  /** Number of changed files. */
  readonly fileCount: number;
}

/** The work of one attempt as a commit. */
export interface Snapshot extends Changes {
  /** Id of the commit. Its parent is `base`. */
  readonly commit: string;
  readonly base: string;
  /** Id of its tree. Equal trees have equal files. */
  readonly tree: string;
  readonly notes: readonly Note[];
}

/** A commit to integrate. */
export interface IntegrationPart {
  /** Name by which a conflict refers to it, such as that of the task. */
  readonly name: string;
  /** Subject of its merge commit. */
  readonly title: string;
  readonly commit: string;
  /**
   * The commit from which its changes count. If it is not the base, or not the parent, only the changes are integrated, and no history.
   *
   * @default unknown: the whole commit is merged
   */
  readonly start?: string | undefined;
}

/** A part that was left out, as it conflicts with earlier ones. */
export interface Conflict {
  /** Name of the part. */
  readonly name: string;
  /** Paths in conflict, at most 1000. */
  readonly paths: readonly string[];
}

/** Several commits folded into one. */
export interface Integration {
  readonly commit: string;
  readonly conflicts: readonly Conflict[];
}

/** A file in the difference of two commits. */
export interface DifferenceFile extends ChangedFile {
  /** Earlier path of a renamed file. */
  readonly from?: string;
  /** Number of lines; 0 for a binary file. */
  readonly added: number;
  /** Number of lines; 0 for a binary file. */
  readonly deleted: number;
  readonly isBinary: boolean;
}

/** The difference of two commits. */
export interface Difference {
  /** A unified diff. Each file gets a fair share of a limited size. */
  readonly text: string;
  /** True if parts are missing from `text`, which then says so where. */
  readonly isCut: boolean;
  /** Changed files, at most 10 000 of them. */
  readonly files: readonly DifferenceFile[];
  /** Number of changed files. */
  readonly fileCount: number;
}

/** A workspace on the disk. */
export interface WorkspaceInfo {
  /** The folder of the workspace. */
  readonly path: string;
  readonly place: AttemptPlace;
  /** Bytes on the disk. A very large folder is not counted to its end. */
  readonly bytes: number;
  /** Used by a live process, removable as its content is kept, or left with content that nothing else has. */
  readonly state: 'inUse' | 'removable' | 'left';
  /** Reason for the state, as a sentence. */
  readonly reason: string;
  /** Id of a process that works in it, though the process that opened the workspace has ended. @default none */
  readonly orphan?: number;
}

/** Result of {@link Workspaces.prune}. */
export interface Pruned {
  /** Paths of folders. */
  readonly removed: readonly string[];
  readonly left: readonly WorkspaceInfo[];
  /** Folders with content that `rescue` has kept, and the refs that have it as commits. @default none */
  readonly rescued?: readonly { readonly path: string; readonly ref: string }[];
}

/** Options of {@link Workspaces.prune}. */
export interface PruneOptions {
  readonly signal: AbortSignal;
  /**
   * Keeps content that nothing else has as a commit on `refs/phasegate/<run>/left/…`, so that its folder can be removed as well.
   *
   * @default false
   */
  readonly rescue?: boolean | undefined;
}

/** Options of {@link Workspaces.open}. */
export interface OpenWorkspaceOptions {
  /** The commit whose files the folder has, and from which changes count. */
  readonly base: string;
  /** Another commit whose files the folder has instead, such as earlier work that goes on. Changes still count from the base. */
  readonly files?: string | undefined;
  /**
   * The folder is for work whose files nobody needs, such as a review. It is removed with all that is in it, also by a later process. Not
   * for a folder that all workspaces share.
   *
   * @default false
   */
  readonly disposable?: boolean | undefined;
  /** Folders that will be opened later, which may be prepared while this one is in use. A hint. @default 0 */
  readonly ahead?: number | undefined;
  readonly signal: AbortSignal;
}

/** Options of {@link Workspaces.start}. */
export interface StartRunBaseOptions {
  /** Id of the run. */
  readonly run: string;
  /** Folders that will be opened at the base, which may be prepared from now on if the run is new. A hint. @default 0 */
  readonly ahead?: number | undefined;
  readonly signal: AbortSignal;
}

/** Options of {@link Workspaces.integrate}. */
export interface IntegrateOptions {
  readonly place: AttemptPlace;
  readonly base: string;
  readonly parts: readonly IntegrationPart[];
  readonly signal: AbortSignal;
}

/** Options of {@link Workspaces.diff}. */
export interface DiffOptions {
  readonly from: string;
  readonly to: string;
  /** Files and folders. @default all */
  readonly paths?: readonly string[] | undefined;
  /** Most bytes of text; 0 for none, which lists the files only. @default 262144 (256 KiB) */
  readonly maxBytes?: number | undefined;
  readonly signal: AbortSignal;
}

/** Workspaces of one repository. */
export interface Workspaces {
  /** Kind of the workspaces, for messages. */
  readonly name: string;
  /** True if all workspaces are the same folder, so only one can be open. @default false */
  readonly isShared?: boolean | undefined;
  /** Most workspaces at the same time, after which `open` refuses. Agents then wait for each other. @default unlimited */
  readonly maxCount?: number | undefined;
  /**
   * Checks the repository, takes the base of a run, and creates its branch. Idempotent: a later call, also by another process,
   * returns the same.
   */
  start(options: StartRunBaseOptions): Promise<RunBase>;
  /** Returns the kept work of an attempt; `undefined` if it has none. An attempt with kept work must not run again. */
  kept(place: AttemptPlace, signal: AbortSignal): Promise<Snapshot | undefined>;
  /** Makes a commit of the repository the kept work of a place, instead of any other. */
  remember(place: AttemptPlace, commit: string, signal: AbortSignal): Promise<void>;
  /** Creates a new folder for one try, with the files of a commit. Stops processes that earlier tries of the attempt have left. */
  open(place: AttemptPlace, options: OpenWorkspaceOptions): Promise<Workspace>;
  /**
   * Folds commits into one, in order. A part that conflicts is left out and named with its paths. Idempotent: the first result
   * of a place is the result of every later call.
   */
  integrate(options: IntegrateOptions): Promise<Integration>;
  /** Compares two commits. */
  diff(options: DiffOptions): Promise<Difference>;
  /** Moves the branch of a run to a commit. Refuses if someone else has moved it, or works on it. */
  publish(options: {
    readonly run: string;
    readonly commit: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly branch: string; readonly commit: string }>;
  /** Lists the workspaces of this repository that exist. */
  list(signal: AbortSignal): Promise<readonly WorkspaceInfo[]>;
  /** Removes workspaces that no live process uses and whose content is kept. */
  prune(options: PruneOptions): Promise<Pruned>;
}

/** A folder for one try of a task. */
export interface Workspace {
  /** The folder, absolute. */
  readonly path: string;
  /** Variables for programs in it, such as `PHASEGATE_WORKSPACE` and `PHASEGATE_PORT`. */
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly Note[];
  /** Records a process group that works here, so that a later process can stop it. */
  entered(pid: number): Promise<void>;
  /** Stops remaining processes, and compares the files with those at the start, after the setup. Nothing becomes part of the repository. */
  changes(options: { readonly signal: AbortSignal }): Promise<Changes>;
  /** Stops remaining processes, and keeps the files as a commit. Idempotent: never replaces work of this attempt that is kept. */
  keep(options: { readonly title: string; readonly signal: AbortSignal }): Promise<Snapshot>;
  /** Runs the teardown, and removes the folder if it is disposable or its content is provably kept. Otherwise leaves it, with the reason. */
  close(): Promise<Closed>;
}

/** Result of {@link Workspace.close}. */
export interface Closed {
  readonly removed: boolean;
  /** Reason for leaving the folder, as a sentence. */
  readonly reason?: string;
}
