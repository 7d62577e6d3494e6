/**
 * Publication of the notes: the only phase with a side effect, which writes only an approved draft.
 *
 * @module
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';

/** The schema of the publication: the file that was written. */
export const publicationSchema = z.object({ path: z.string(), lines: z.int() });

export type Publication = z.infer<typeof publicationSchema>;

/** Writes the notes and creates the directory if necessary. Writing the same notes again changes nothing. */
export async function publishNotes(notes: string, out: string, signal: AbortSignal): Promise<Publication> {
  const path = resolve(out);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, notes, { signal });
  return { path, lines: notes.split('\n').length - 1 };
}

/** Checks that the file contains exactly the notes. */
export async function holdsNotes({ path }: Publication, notes: string): Promise<true | string> {
  return (await readFile(path, 'utf8')) === notes || `Write to ${path} what was approved; the file differs from it.`;
}
