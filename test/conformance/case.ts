import { readFileSync } from 'node:fs';

/** What every case has, whatever it is about. */
export interface Case {
  /** Its number, from 1, over all files. */
  readonly case: number;
  readonly kind: Kind;
  readonly title: string;
  /** `carried`: phasegate does the same. `deviating`: it does something else on purpose, and the case says what. */
  readonly status: 'carried' | 'deviating' | 'notApplicable';
}

/** What a case is about, in the order of their numbers. */
export const KINDS = [
  'construct',
  'format',
  'parse',
  'roundTrip',
  'gate',
  'phase',
  'pipeline',
  'revision',
  'taskPrompt',
  'agentPrompt',
  'run',
] as const;

export type Kind = (typeof KINDS)[number];

/** The files that hold the cases. */
export const FILES = ['decisions', 'settings', 'revisions', 'runs'] as const;

/** Every case of a file. */
export function casesOf(file: (typeof FILES)[number]): readonly Case[] {
  return JSON.parse(readFileSync(new URL(`${file}.json`, import.meta.url), 'utf8')) as readonly Case[];
}

/** The cases of one kind that are to be run, each as `[label, case]` for `it.each`. */
export function runnable<C extends Case>(cases: readonly C[], kind: Kind): readonly (readonly [string, C])[] {
  return cases
    .filter((one) => one.kind === kind && one.status !== 'notApplicable')
    .map((one) => [`${one.case}: ${one.title}`, one] as const);
}
