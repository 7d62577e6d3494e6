/**
 * Many runs, worked on by several processes of `phasegate work`, while something is done to them.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { submitRun, verifyRun, readRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { essay } from './essay.ts';
import { answerAtOnce, hire, type Machine, type Workers } from './workers.ts';

/** A campaign. */
export interface Campaign {
  /** An empty folder. */
  readonly cwd: string;
  readonly store: RunStore;
  /** Variables of the workers, with the address of the store. */
  readonly env?: Readonly<Record<string, string>>;
  /** Number of runs of each version. */
  readonly runs: Readonly<Record<string, number>>;
  readonly machines: readonly Machine[];
  /** Done one after the other, evenly spread over the answers. */
  readonly harm?: readonly ((workers: Workers) => Promise<void>)[];
}

/** The outcome. All of them should be 0, but for `again`. */
export interface Tally {
  /** Records that are missing or too many, and tasks without their output. */
  readonly records: number;
  /** Committed tasks that were started again. */
  readonly committedAgain: number;
  /** Items with no answer, or with several. */
  readonly answers: number;
  /** Tasks that ran again, as their process was killed before it stored their output. */
  readonly again: number;
}

/** Works on all runs to their end, and examines what is stored. */
export async function campaign({ cwd, store, env = {}, runs, machines, harm = [] }: Campaign): Promise<Tally> {
  const workers = await hire({ cwd, store, env, machines, fileOf });
  const ids = Object.entries(runs).flatMap(([version, count]) =>
    Array.from({ length: count }, (_, at) => ({ version, runId: `v${version}-${at}` })),
  );
  for (const { version, runId } of ids) await submitRun(store, essay(version), { runId });

  let accepted = 0;
  const harms = [...harm];
  const step = ids.length / (harms.length + 1);
  while ((await store.runs({ status: ['completed'] })).length < ids.length) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const { id } of await store.inbox({ open: true })) {
      accepted += await answerAtOnce(store, id);
      if (accepted < (harm.length - harms.length + 1) * step) continue;
      await harms.shift()?.(workers);
    }
  }
  await workers.stop();
  expect(harms).toEqual([]);

  const tallies: Omit<Tally, 'again'>[] = [];
  for (const { runId } of ids) {
    expect(await verifyRun(store, runId)).toMatchObject({ problems: [] });
    tallies.push(tallyOf(await readRun(store, runId)));
  }
  const sum = (pick: (tally: Omit<Tally, 'again'>) => number) => tallies.reduce((all, one) => all + pick(one), 0);
  const lines = (await readFile(join(cwd, 'ran'), 'utf8')).trimEnd().split('\n');
  expect(new Set(lines).size).toBe(2 * ids.length);
  return {
    records: sum(({ records }) => records),
    committedAgain: sum(({ committedAgain }) => committedAgain),
    answers: sum(({ answers }) => answers) + Math.abs(accepted - ids.length),
    again: lines.length - 2 * ids.length,
  };
}

/** Examines the records of one run. */
export function tallyOf(records: readonly RunRecord[]): Omit<Tally, 'again'> {
  const completed = new Map<string, number>();
  let committedAgain = 0;
  let answers = 0;
  let misplaced = 0;
  for (const [at, { seq, event }] of records.entries()) {
    if (seq !== at + 1) misplaced += 1;
    if (event.type === 'task.started' && completed.has(event.task)) committedAgain += 1;
    if (event.type === 'task.completed') completed.set(event.task, (completed.get(event.task) ?? 0) + 1);
    if (event.type === 'review.decided' && event.phase === 'draft') answers += 1;
  }
  const outputs = ['write', 'set'].reduce((sum, name) => sum + Math.abs((completed.get(name) ?? 0) - 1), 0);
  return { records: misplaced + outputs, committedAgain, answers: Math.abs(answers - 1) };
}

// --- internal ---

function fileOf(version: string): string {
  return fileURLToPath(new URL(`essay-${version}.ts`, import.meta.url));
}
