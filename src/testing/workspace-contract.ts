/**
 * The contract of workspaces, as tests for any test runner.
 *
 * @module
 */
import type { Awaitable } from '../store/port.ts';
import type { Workspaces } from '../workspaces/port.ts';
import { keepCases } from './workspaces/keep.ts';
import { openCases } from './workspaces/open.ts';
import { resultCases } from './workspaces/results.ts';
import type { WorkspaceCaseBody } from './workspaces/trial.ts';

/** A repository for one test. Its base has a file `a.txt`. */
export interface WorkspaceLab {
  /** Opens its workspaces. Several opened ones share all that is kept. */
  readonly open: () => Awaitable<Workspaces>;
  /** Reads a file of a commit. `undefined` if it has none. */
  readonly read: (commit: string, path: string) => Promise<string | undefined>;
  /** Describes all that belongs to the user, and that no run may change, as JSON. */
  readonly picture: () => Promise<unknown>;
}

/** Creates a repository. */
export type WorkspaceLabMaker = () => Awaitable<WorkspaceLab>;

/** One test. */
export interface WorkspaceCase {
  /** Its subject, such as `keep()`. */
  readonly about: string;
  /** Its claim. */
  readonly name: string;
  /** Rejects if the claim does not hold. */
  readonly run: () => Promise<void>;
}

/**
 * The tests that workspaces must pass, as a list.
 *
 * @param make Creates a repository for each test.
 */
export function workspaceCases(make: WorkspaceLabMaker): readonly WorkspaceCase[] {
  return Object.entries(GROUPS).flatMap(([about, cases]) =>
    Object.entries(cases).map(([name, body]) => ({ about, name, run: () => tryOut(make, body) })),
  );
}

// --- internal ---

const GROUPS: Readonly<Record<string, Readonly<Record<string, WorkspaceCaseBody>>>> = {
  'start() and open()': openCases,
  'keep(), close(), list() and prune()': keepCases,
  'integrate(), diff() and publish()': resultCases,
};

async function tryOut(make: WorkspaceLabMaker, body: WorkspaceCaseBody): Promise<void> {
  const { open, read, picture } = await make();
  await body({ workspaces: await open(), open: async () => open(), read, picture });
}
