/**
 * The only phase with an effect: it comes after the gate, and writes what has passed it.
 *
 * @module
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';

/** What was written. */
export const publicationSchema = z.object({ path: z.string(), lines: z.int() });

export type Publication = z.infer<typeof publicationSchema>;

/** Writes the notes, making the directory where needed. Writing the same again changes nothing. */
export async function publishNotes(notes: string, out: string, signal: AbortSignal): Promise<Publication> {
  const path = resolve(out);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, notes, { signal });
  return { path, lines: notes.split('\n').length - 1 };
}

/** Whether the file holds the very notes. */
export async function holdsNotes({ path }: Publication, notes: string): Promise<true | string> {
  return (await readFile(path, 'utf8')) === notes || `Write to ${path} what was approved; the file differs from it.`;
}
