/**
 * Runs of tests, noted in a folder: test files work in processes of their own, and a reporter reads the folder in the end.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runRecordSchema, type RunRecord } from '../model/events/event.ts';

/** The variable that has the folder. Runs are noted only if it is set. */
export const NOTES = 'PHASEGATE_COVERAGE_NOTES';

/** Notes a run for the reporter. A run that is noted twice counts once. */
export function noteRun(records: Iterable<RunRecord>): void {
  const folder = process.env[NOTES];
  if (folder === undefined || noted.has(records)) return;
  noted.add(records);
  // A file for each process, and one write for each run: no runs mix.
  appendFileSync(join(folder, FILE), [...records].map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** Reads the runs in a folder, one after the other. */
export function* notedRuns(folder: string): Generator<readonly RunRecord[], void, undefined> {
  for (const file of readdirSync(folder).toSorted()) {
    let run: RunRecord[] = [];
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const record = runRecordSchema.parse(JSON.parse(line));
      if (record.event.type === 'run.started' && run.length > 0) {
        yield run;
        run = [];
      }
      run.push(record);
    }
    if (run.length > 0) yield run;
  }
}

// --- internal ---

const FILE = `${randomUUID()}.jsonl`;

const noted = new WeakSet<object>();
