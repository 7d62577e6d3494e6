import { readFileSync } from 'node:fs';

/** Fields that every case has. */
export interface Case {
  /** Its number, from 1, unique over all files. */
  readonly case: number;
  readonly kind: Kind;
  readonly title: string;
  /** `carried`: phasegate does the same. `deviating`: it differs on purpose, as the case describes. */
  readonly status: 'carried' | 'deviating' | 'notApplicable';
}

/** The kinds of cases, in the order of their numbers. */
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

/** The files with cases. */
export const FILES = ['decisions', 'settings', 'revisions', 'runs'] as const;

/** Returns every case of a file. */
export function casesOf(file: (typeof FILES)[number]): readonly Case[] {
  return JSON.parse(readFileSync(new URL(`${file}.json`, import.meta.url), 'utf8')) as readonly Case[];
}

/** Returns the applicable cases of one kind, each as `[label, case]` for `it.each`. */
export function runnable<C extends Case>(cases: readonly C[], kind: Kind): readonly (readonly [string, C])[] {
  return cases
    .filter((one) => one.kind === kind && one.status !== 'notApplicable')
    .map((one) => [`${one.case}: ${one.title}`, one] as const);
}
