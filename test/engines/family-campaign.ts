/**
 * Runs whose tasks start others, worked on by several processes of `phasegate work`, while something is done to them.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { examine, isOpen, submitFamilies, uninterrupted, type Faults } from './families.ts';
import type { Campaign } from './campaign.ts';
import { hire } from './workers.ts';

/** The outcome. */
export interface FamilyTally {
  /** All of them should be 0. */
  readonly faults: Faults;
  /** Tasks that ran again, as their process was lost before it stored their output. */
  readonly again: number;
  /** Runs that are stored, those of tasks included. */
  readonly runs: number;
}

/** A campaign with runs of tasks. */
export interface FamilyCampaign extends Omit<Campaign, 'runs'> {
  /** Number of runs that are submitted. */
  readonly roots: number;
}

/** Answers that people give to a submitted run, on average over all fates. */
const ANSWERS = 3;

/** Works on all runs to their end, and examines what is stored. Expects that each has done what an uninterrupted one does. */
export async function familyCampaign(given: FamilyCampaign): Promise<FamilyTally> {
  const { cwd, store, env = {}, roots, machines, harm = [] } = given;
  const expected = await uninterrupted();
  const workers = await hire({ cwd, store, env, machines, fileOf: () => FAMILY });
  const families = await submitFamilies(store, roots);

  const harms = [...harm];
  const step = (ANSWERS * roots) / (harms.length + 1);
  for (let done = 0; await isOpen(store);) {
    done += await families.answer();
    // Answers may come in faster than harm is done.
    while (harms.length > 0 && done >= (harm.length - harms.length + 1) * step) await harms.shift()?.(workers);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await workers.stop();
  expect(harms).toEqual([]);

  const faults = await examine(store, families, expected);
  const lines = (await readFile(join(cwd, 'ran'), 'utf8')).trimEnd().split('\n');
  return { faults, again: lines.length - new Set(lines).size, runs: (await store.runs()).length };
}

// --- internal ---

const FAMILY = fileURLToPath(new URL('family.ts', import.meta.url));
