/**
 * Records the runs of `test/fixtures/fleet` again: `node --import jiti/register scripts/fleet.ts`. The files stay the same unless
 * the records of these runs have changed.
 *
 * @module
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { archiveOf } from '../src/cli/load/archive.ts';
import { memoryStore, startRun, type Pipeline } from '../src/index.ts';
import { crew, habits, swarm } from '../test/fleet/pipelines.ts';
import { drive, simulatedTime } from '../test/rig.ts';

const FLEETS = [
  { fleet: 'swarm', runs: 4, pipelineOf: swarm },
  { fleet: 'habits', runs: 10, pipelineOf: habits },
  { fleet: 'crew', runs: 12, pipelineOf: crew },
];
/** The start of the first run, in milliseconds since 1970. Each run starts an hour after the one before. */
const FIRST = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const target = new URL('../test/fixtures/fleet/', import.meta.url);
await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
let played = 0;
for (const { fleet, runs, pipelineOf } of FLEETS)
  for (let nth = 0; nth < runs; nth++) {
    const runId = `${fleet}-${String(nth).padStart(2, '0')}`;
    await writeFile(new URL(`${runId}.jsonl`, target), await linesOf(pipelineOf(nth), runId, FIRST + played * HOUR));
    played += 1;
  }

// --- internal ---

/** Plays a run on simulated time. @returns The run in the format of `phasegate export`. */
async function linesOf(pipeline: Pipeline<unknown>, runId: string, start: number): Promise<string> {
  const store = memoryStore();
  const time = simulatedTime(start);
  await drive(startRun(pipeline, { runId, store, clock: time.clock }), time);
  const run = await store.run(runId);
  if (!run) throw new Error(`Cannot record ${runId} as the store has no such run`);
  const lines: string[] = [];
  for await (const line of archiveOf({ store }, run)) lines.push(`${line}\n`);
  return lines.join('');
}
