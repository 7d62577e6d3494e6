/**
 * Kills processes that work on a run: `node --import jiti/register scripts/kill-sweep.ts [--random 200] [--seed n] [--single]`.
 *
 * It kills right before and right after every batch of records is stored, and at random instants. With `--single` each record is
 * a batch. It prints the outcome of the runs.
 *
 * @module
 */
import { parseArgs } from 'node:util';
import { sweep } from '../test/survive/kill/sweep.ts';

const { values } = parseArgs({
  options: {
    random: { type: 'string', default: '200' },
    single: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const report = await sweep({
  random: Number(values.random),
  single: values.single,
  seed,
  onRun: (done, of) => done % 20 === 0 && console.error(`${done} of ${of} runs`),
});
for (const problem of report.problems) console.log(`- ${problem}`);
console.log(
  `seed ${seed}${values.single ? ', one record at a time' : ''}: ${report.kills} kills in ${report.runs} runs, ${report.whileOpen} of them while a person was waited for; ` +
    `${report.commits} commits compared, ${report.rerun} tasks re-run, ${report.lost} records lost, ` +
    `${report.problems.length} problems`,
);
process.exitCode = report.problems.length + report.lost === 0 ? 0 : 1;
