/**
 * The marker next to a workspace: its attempt, the process that uses it, and the processes that have worked in it.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { identify, isAlive } from '../../actors/command/process-life.ts';
import { processSchema } from '../../model/values/process-identity.ts';
import { slug } from '../git/names.ts';
import { OBJECT_ID } from '../git/objects.ts';
import type { AttemptPlace } from '../port.ts';
import { withScratch, type Home } from './home.ts';

/** Name of the marker file. */
export const MARKER = 'workspace.json';

const markerSchema = z.object({
  version: z.literal(1),
  place: z.object({
    run: z.string(),
    phase: z.string(),
    generation: z.number(),
    attempt: z.number(),
    task: z.string(),
    key: z.string(),
  }),
  base: z.string().regex(OBJECT_ID),
  /** The commit whose files it had at the start, if not those of the base. */
  files: z.string().regex(OBJECT_ID).optional(),
  isolation: z.enum(['clone', 'worktree', 'inPlace']),
  /** True if nobody needs its files. */
  disposable: z.boolean().optional(),
  /** Half made, complete, or closed by its owner. */
  state: z.enum(['making', 'ready', 'closed']),
  /** Reason for leaving the folder. */
  reason: z.string().optional(),
  owner: processSchema,
  groups: z.array(processSchema),
  ports: z.object({ first: z.number(), count: z.number() }),
});

/** Content of a marker. */
export type Marker = z.infer<typeof markerSchema>;

/** The folder of a try, with its marker. */
export interface Try {
  readonly folder: string;
  readonly marker: Marker;
}

/** Options of {@link createTry}. */
export interface TryOptions extends Pick<Marker, 'base' | 'files' | 'isolation' | 'disposable' | 'ports'> {
  readonly place: AttemptPlace;
}

/** Creates the folder of a try, with a marker that says that it is half made. A folder without its marker never exists. */
export async function createTry(home: Home, { place, ...facts }: TryOptions): Promise<Try> {
  const folder = join(home.path, `${slug(place.task).slice(0, 24)}-${randomBytes(6).toString('hex')}`);
  const marker: Marker = {
    version: 1,
    place: { ...place },
    ...facts,
    state: 'making',
    owner: identify(process.pid),
    groups: [],
  };
  await withScratch(home, async (scratch) => {
    const made = join(scratch, 'try');
    await mkdir(made, { mode: 0o700 });
    await writeMarker(made, marker);
    await rename(made, folder);
  });
  return { folder, marker };
}

/** Replaces a marker. */
export async function writeMarker(folder: string, marker: Marker): Promise<void> {
  const temporary = join(folder, `${MARKER}.${randomBytes(4).toString('hex')}`);
  await writeFile(temporary, JSON.stringify(marker), { mode: 0o600, flush: true });
  await rename(temporary, join(folder, MARKER));
}

/** All tries of a home that have a readable marker. */
export async function readTries(home: Home): Promise<readonly Try[]> {
  const entries = await readdir(home.path, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const tries: Try[] = [];
  for (const { name } of folders.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const folder = join(home.path, name);
    const marker = await readMarker(folder);
    if (marker) tries.push({ folder, marker });
  }
  return tries;
}

/** True if a live process uses the workspace. */
export function isInUse({ marker }: Try): boolean {
  return marker.state !== 'closed' && isAlive(marker.owner);
}

// --- internal ---

/** Most characters of a marker. */
const MOST_CHARACTERS = 1_000_000;

async function readMarker(folder: string): Promise<Marker | undefined> {
  try {
    const text = await readFile(join(folder, MARKER), 'utf8');
    return text.length > MOST_CHARACTERS ? undefined : markerSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
