/**
 * Kills processes that work on a run: `node --import jiti/register scripts/kill-sweep.ts [--random 200] [--seed n] [--single]`, or on
 * a fleet: `scripts/kill-sweep.ts --fleet 200 [--seed n]`.
 *
 * It kills right before and right after every batch of records is stored, and at random instants. With `--single` each record is
 * a batch. A fleet is killed at random instants only. It prints the outcome of the runs.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { sweepFleet } from '../test/survive/fleet/sweep.ts';
import { sweep } from '../test/survive/kill/sweep.ts';

const { values } = parseArgs({
  options: {
    random: { type: 'string', default: '200' },
    fleet: { type: 'string' },
    single: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const onRun = (done: number, of: number) => done % 20 === 0 && console.error(`${done} of ${of} runs`);
if (values.fleet === undefined) {
  const report = await sweep({ random: Number(values.random), single: values.single, seed, onRun });
  conclude(
    report,
    `seed ${seed}${values.single ? ', one record at a time' : ''}: ${report.kills} kills in ${report.runs} runs, ${report.whileOpen} of them while a person was waited for; ` +
      `${report.commits} commits compared, ${report.rerun} tasks re-run, ${report.lost} records lost`,
  );
  if (report.lost > 0) process.exitCode = 1;
} else {
  const report = await sweepFleet({ random: Number(values.fleet), seed, onRun });
  conclude(
    report,
    `seed ${seed}: ${report.kills} kills in ${report.runs} fleets; ${report.begun} agents begun, ${report.orphans} of them orphaned; ` +
      `${report.kept} commits kept at a kill, ${report.rescued} folders rescued`,
  );
}

/** Prints an outcome, and sets the exit code. */
function conclude({ problems }: { readonly problems: readonly string[] }, line: string): void {
  for (const problem of problems) console.log(`- ${problem}`);
  console.log(`${line}, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
