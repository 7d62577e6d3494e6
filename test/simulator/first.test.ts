import fc from 'fast-check';
import { it } from 'vitest';
import { scenarios } from './scenario.ts';
import { faults } from './faults.ts';
import { simulate } from './simulation.ts';
import { storyDifference, storyOf } from './story.ts';

it('x', async () => {
  console.warn = () => undefined;
  const start = performance.now(); const c0 = process.cpuUsage();
  const N = Number(process.env['N'] ?? 50);
  let n = 0; let procs = 0; let recs = 0; const seen: Record<string, number> = {};
  let tc = 0;
  await fc.assert(fc.asyncProperty(scenarios({ people: process.env['P'] === '1', children: process.env['C'] === '1' }), faults(Number(process.env['F'] ?? 5)), async (s, f) => {
    const t0 = performance.now();
    const calm = await simulate(s);
    tc += performance.now() - t0;
    if (calm.problems.length) throw new Error('calm: ' + calm.problems.join('\n'));
    if (calm.processes !== 1) throw new Error('calm has ' + calm.processes);
    const run = await simulate(s, f);
    n++; procs += run.processes; recs += run.records.get('run')!.length;
    for (const t of run.happened) seen[t] = (seen[t] ?? 0) + 1;
    const d = storyDifference(storyOf(calm.records), storyOf(run.records));
    if (run.problems.length || d) throw new Error([...run.problems, d, ...run.log].join('\n'));
  }), { numRuns: N, seed: Number(process.env['SEED'] ?? 1) });
  const ms = performance.now() - start;
  const c1 = process.cpuUsage(c0); console.log('cpu ms', ((c1.user + c1.system) / 1000 / n).toFixed(1), n, 'runs', (ms / n).toFixed(1), 'ms each; calm', (tc / n).toFixed(1), 'procs', procs / n, 'records', recs / n, seen);
}, 600000);
