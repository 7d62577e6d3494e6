/**
 * Runs on Restate next to the same runs in one process with a SQLite store.
 *
 * @module
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startRun, type Pipeline } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import type { PackedRecord } from '../../src/store.ts';
import type { RestateRuns, RunReport } from '../../src/restate.ts';
import { sqliteStore } from '../../src/sqlite.ts';

/** Answers an open item, however often it is asked. */
export type Replies = (item: InboxItem) => Reply;

/** Runs a pipeline in this process to its end. @returns The records in its store. */
export async function recordsOnSqlite(
  pipeline: Pipeline<unknown>,
  runId: string,
  reply?: Replies,
): Promise<readonly PackedRecord[]> {
  return (await runsOnSqlite(pipeline, runId, reply))[runId] ?? [];
}

/** Runs a pipeline in this process to its end. @returns The records of each run in its store, by id. */
export async function runsOnSqlite(
  pipeline: Pipeline<unknown>,
  runId: string,
  reply?: Replies,
): Promise<Readonly<Record<string, readonly PackedRecord[]>>> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-sqlite-'));
  const store = sqliteStore(join(folder, 'runs.sqlite'));
  const run = startRun(pipeline, { runId, store });
  run.events$.subscribe(() => {
    for (const item of run.inbox()) if (reply) void run.answer(item.id, reply(item)).catch(() => undefined);
  });
  await run.result;
  const records: Record<string, readonly PackedRecord[]> = {};
  for (const one of await store.runs()) records[one.runId] = await store.read(one.runId);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  return records;
}

/** Waits until a run on Restate is over. @param reply Answers each item once. */
export async function untilOver(runs: RestateRuns, runId: string, reply?: Replies): Promise<RunReport> {
  const seen = new Set<string>();
  return until(runs, runId, async ({ status, inbox }) => {
    for (const item of inbox) {
      if (!reply || seen.has(item.id)) continue;
      seen.add(item.id);
      await runs.answer(runId, item.id, reply(item));
    }
    return status !== 'running';
  });
}

/** Waits until the state of a run on Restate holds. */
export async function until(
  runs: RestateRuns,
  runId: string,
  holds: (report: RunReport) => boolean | Promise<boolean>,
): Promise<RunReport> {
  let report: RunReport | undefined;
  await expect.poll(async () => holds((report = await runs.get(runId))), { interval: 50 }).toBe(true);
  if (!report) throw new Error('There is no report.');
  return report;
}

/** The events, without the stacks of errors, which depend on the caller. */
export function plain(records: readonly PackedRecord[]): unknown {
  const text = JSON.stringify(
    records.map(({ event }) => event),
    (key, value: unknown) => (key === 'stack' ? undefined : value),
  );
  return JSON.parse(text);
}
