/** A launch that is corrected twice, and waits for a person. */
import { expect, it } from 'vitest';
import { launch } from '../../examples/launch/launch.ts';
import { memoryStore, startRun } from '../../src/index.ts';
import { lineOf } from '../line.ts';
import { drive, simulatedTime } from '../rig.ts';

it('examples/launch corrects the brief and the press release, and launches on the approval of a person', async () => {
  const time = simulatedTime();
  const wait = (ms: number) => new Promise<void>((resolve) => time.clock.setTimeout(resolve, ms));
  const store = memoryStore();
  const run = startRun(launch({ wait }), { store, clock: time.clock });
  const lines: string[] = [];
  const due: (() => unknown)[] = [];
  run.events$.subscribe(({ event }) => {
    const line = lineOf(event);
    if (line !== undefined) lines.push(line.split(' | ')[0] ?? '');
    if (event.type !== 'task.asked') return;
    due.push(async () => {
      const [item] = await store.inbox({ open: true });
      await run.answer(item?.id ?? '', { type: 'decide', decision: 'APPROVE' });
    });
  });
  const result = await drive(run, time, due, lines);
  expect(lines).toEqual([
    'brief started 0',
    'brief retrying: It has 3 lines, and the last says nothing of the product.',
    'brief started 1: It has 3 lines, and the last says nothing of the product.',
    'brief approved v1',
    'site started 0',
    'press started 0',
    'support started 0',
    'support approved v1 (unreviewed) from brief@1',
    'press approved v1 (unreviewed) from brief@1',
    'site approved v1 (unreviewed) from brief@1',
    'check started 0',
    'check rewinding press: - [high, completeness] The press release names nobody to ask.',
    'press started 1 g1: - [high, completeness] The press release names nobody to ask.',
    'press approved v2 (unreviewed) from brief@1',
    'check started 0',
    'check approved v1 from site@1 press@2 support@1',
    'announce started 0',
    'announce/review asks as reviewer: May it go out?',
    'announce/review answered {"type":"approve"}',
    'announce approved v1 from check@1',
    'run completed',
  ]);
  expect(result.status).toBe('completed');
});
