/**
 * The settings of a run, given with `--input name=value` or as `input` of `startRun`.
 *
 * @module
 */
import { z } from 'zod';

/** The schema of the input. Numbers may be text, as they are on a command line. */
export const settingsSchema = z
  .strictObject({
    /** A directory in the repository. */
    repo: z.string().min(1).default('.'),
    /** A tag, or any other name of a commit. @default the latest tag below HEAD, or else the beginning */
    since: z.string().min(1).regex(/^[^-]/u, 'The name of a commit does not begin with a dash').optional(),
    /** Longest line of the notes, in characters. */
    width: z.coerce.number<number | string>().int().min(40).max(1000).default(100),
    /** The largest share of commits that may stay in "Other", from 0 to 1. */
    maxOther: z.coerce.number<number | string>().min(0).max(1).default(0.2),
    /** The file of the notes. */
    out: z.string().min(1).default('out/RELEASE_NOTES.md'),
  })
  .readonly()
  .prefault({});

/** The input with every default filled in. */
export type Settings = z.infer<typeof settingsSchema>;

/** Gives the input of the run its type back: a phase does not know which pipeline it is part of. */
export function settingsOf(input: unknown): Settings {
  return settingsSchema.parse(input);
}
