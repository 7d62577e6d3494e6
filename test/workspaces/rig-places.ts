/**
 * Places of attempts, and files, for tests and for the processes that they start.
 *
 * @module
 */
import { setMaxListeners } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AttemptPlace } from '../../src/workspaces/port.ts';

/** A signal that never aborts. */
export const signal: AbortSignal = new AbortController().signal;
setMaxListeners(0, signal);

/** Writes a file, and the folders above it. */
export async function put(folder: string, name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

/** An attempt of a task. */
export function placeOf(task = 'task', attempt = 0, run = 'run'): AttemptPlace {
  return { run, phase: 'build', generation: 0, attempt, task, key: `${run}:build:0:${attempt}:${task}` };
}
