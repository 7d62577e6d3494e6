/**
 * The agent that is installed.
 *
 * @module
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { KNOWN_AGENTS } from './yaml/agent-schema.ts';
import type { ProgramIo } from '../terminal/program-io.ts';

/** Returns the name of the first known agent whose program `PATH` has; `undefined` if there is none. */
export async function installedAgent({
  env,
}: Pick<ProgramIo, 'env'>): Promise<(typeof KNOWN_AGENTS)[number] | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of KNOWN_AGENTS) {
    for (const folder of folders) {
      if (await isProgram(join(folder, name))) return name;
    }
  }
  return undefined;
}

// --- internal ---

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
