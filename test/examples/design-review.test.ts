/** The correction flow of a missing authentication requirement, with its telemetry, from the records of a real run. */
import { expect, it } from 'vitest';
import { userManagement } from '../../examples/design-review/users.ts';
import { startRun } from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { lineOf } from '../line.ts';
import { drive, simulatedTime } from '../rig.ts';

async function telling() {
  const time = simulatedTime();
  const wait = (ms: number) => new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms));
  const run = startRun(userManagement({ wait }), { clock: time.clock });
  const records: RunRecord[] = [];
  run.events$.subscribe((record) => records.push(record));
  await drive(run, time);
  return { result: await run.result, records };
}

it('examples/design-review routes the missing requirement to planning, which design then follows', async () => {
  //  planning ──▶ design ──▶ code
  //      ▲──────────┘ no authentication
  const { result, records } = await telling();
  const told = '- [critical, security] No authentication mechanism.';
  expect(records.flatMap(({ event }) => lineOf(event) ?? []).map((line) => line.split(' | ')[0])).toEqual([
    'planning started 0',
    'planning approved v1 (unreviewed)',
    'design started 0',
    `design rewinding planning: ${told}`,
    `planning started 1 g1: ${told}`,
    'planning approved v2 (unreviewed)',
    'design started 0',
    'design approved v1 from planning@2',
    'code started 0',
    'code approved v1 (unreviewed) from design@1',
    'run completed',
  ]);
  expect(result.outputs['planning']).toEqual({
    plan: { units: ['Authentication', 'CreateUser', 'UpdateUser', 'DeleteUser', 'ListUsers'] },
  });
});

it('examples/design-review reports injected in planning, found by design-review, 1 + 1 attempts, $0.05 and 25 s', async () => {
  const { result } = await telling();
  expect(result.defects).toEqual([
    {
      number: 1,
      id: 'no-authentication',
      type: 'security',
      severity: 'critical',
      description: 'No authentication mechanism.',
      injected: 'planning',
      attribution: [{ phase: 'planning', by: 'reviewer', name: 'design-review', seq: 13, time: 30_000 }],
      detected: DETECTED,
      found: [DETECTED],
      disposition: 'fixed',
      removed: { phase: 'design', seq: 26, time: 60_000 },
      fix: { phase: 'planning', version: 2 },
      corrections: [14],
      attempts: { planning: 1, design: 1 },
      rework: { costUsd: 0.05, tokens: 5000, ms: 25_000 },
    },
  ]);
  expect(result.measures).toMatchObject({
    removalEfficiency: 100,
    containment: [{ injected: 'planning', removed: { design: 1 }, accepted: 0, open: 0 }],
    effort: { work: { ms: 45_000 }, appraisal: { ms: 10_000 }, rework: { ms: 25_000 } },
    reworkShare: { tokens: 31.25, ms: 31.25 },
    appraisalToFailure: { tokens: 0.4, ms: 0.4 },
    gates: [{ phase: 'design', firstPassYield: 50 }],
  });
  expect(Object.keys(result)).not.toContain('defects');
});

const DETECTED = {
  phase: 'design',
  generation: 0,
  attempt: 0,
  by: 'reviewer',
  name: 'design-review',
  seq: 13,
  time: 30_000,
};
