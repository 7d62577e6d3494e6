/**
 * The schema of workspaces in a pipeline file.
 *
 * @module
 */
import { z } from 'zod';
import { gitWorkspace } from '../../../workspaces/operations/git-workspace.ts';
import { resolve } from 'node:path';
import type { Workspaces } from '../../../workspaces/port.ts';
import { words } from './agent-schema.ts';
import { lineOf, milliseconds } from './build-command.ts';
import { duration, text } from './command-schema.ts';
import { withDescription } from './with-descriptions.ts';

const ISOLATIONS = ['clone', 'worktree'] as const;
const line = z.union([words, text.regex(/\S/u, 'expected a program with its arguments')]);
const count = z.int().min(0);

/** The schema of workspaces. */
export const workspace = z.union([
  z.enum(['none', ...ISOLATIONS]),
  z.strictObject({
    isolation: withDescription(
      z.enum(ISOLATIONS).optional(),
      'A clone shares nothing with the repository; a worktree shares branches, stash and configuration.',
      'clone',
    ),
    base: withDescription(
      z.enum(['head', 'head+dirty']).optional(),
      'The start of the work: the last commit, or that with uncommitted work.',
      'head',
    ),
    include: withDescription(
      z.array(text.min(1)).optional(),
      'Files and folders that git ignores, to copy into each folder, such as .env.local.',
      [],
    ),
    setup: withDescription(
      line.optional(),
      'The words of a program, or a line for the shell, that runs in each new folder. Without it nothing runs.',
    ),
    teardown: withDescription(
      line.optional(),
      'The words of a program, or a line for the shell, that runs before a folder is removed. Without it nothing runs.',
    ),
    timeout: withDescription(duration.optional(), 'The most time for git, for the setup and for the teardown.', '10m'),
    ports: withDescription(count.max(100).optional(), 'The number of TCP ports for each folder, as PHASEGATE_PORT.', 0),
    maxCount: withDescription(count.min(1).optional(), 'The most folders of this repository at once.', 25),
    maxBytes: withDescription(count.optional(), 'The most bytes of all folders of this repository. 0 for no limit.', 0),
    maxChangedBytes: withDescription(
      count.optional(),
      'The most bytes of new and changed files of one attempt.',
      1_073_741_824,
    ),
    root: withDescription(
      text.min(1).optional(),
      'The directory of the folders, relative to that of this file. Without it a state folder of the user.',
    ),
  }),
]);

/** Workspaces as a file gives them. */
export type WorkspaceFields = z.infer<typeof workspace>;

/**
 * Makes the workspaces of a pipeline.
 *
 * @param directory The directory of the file, which is in the repository.
 * @returns `undefined` if agents work in that directory itself.
 * @throws PhasegateError `DEFINITION_INVALID` for invalid options.
 */
export function workspacesOf(given: WorkspaceFields | undefined, directory: string): Workspaces | undefined {
  if (given === undefined || given === 'none') return undefined;
  if (typeof given === 'string') return gitWorkspace({ repository: directory, isolation: given });
  const { setup, teardown, timeout, root, ...rest } = given;
  return gitWorkspace({
    ...rest,
    repository: directory,
    setup: setup === undefined ? undefined : lineOf({ command: setup }),
    teardown: teardown === undefined ? undefined : lineOf({ command: teardown }),
    timeout: timeout === undefined ? undefined : milliseconds(timeout),
    root: root === undefined ? undefined : resolve(directory, root),
  });
}
