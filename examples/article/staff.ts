/**
 * The staff of an article, and the data that it passes on.
 *
 * @module
 */
import type { Decision, Inputs, Task } from 'phasegate';
import { z } from 'zod';
import { SOURCES } from './sources.ts';

/** The schema of the research. A figure is `null` if research has not looked for one. */
export const factsSchema = z.array(z.object({ claim: z.string(), figure: z.string().nullable(), source: z.string() }));

export type Facts = z.infer<typeof factsSchema>;

/** The tasks and reviewers of an article, done by models or functions. */
export interface Staff {
  readonly gather: Task<'gather', Facts, Inputs>;
  readonly summary: Task<'summary', string, Inputs>;
  readonly critic: Task<'critic', Decision, Inputs>;
  readonly draft: Task<'draft', string, Inputs>;
  readonly editor: Task<'editor', Decision, Inputs>;
}

/** Descriptions of the tasks, the same for every staff. */
export const work = {
  gather: 'Gather facts that explain why most coasts have two high tides a day.',
  summary: 'Summarise the facts, one line each, with figure and source.',
  draft: 'Write a short article on why most coasts have two high tides a day.',
} as const;

/** Checks that the sources of facts exist, as models may invent sources. */
export function namesKnownSources(facts: Facts): true | string {
  const unknown = facts.map(({ source }) => source).filter((name) => !SOURCES.some((one) => one.name === name));
  return unknown.length === 0 || `Remove the facts of sources that do not exist: ${unknown.join(', ')}.`;
}
