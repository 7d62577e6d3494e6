import { expect, it } from 'vitest';
import { foldReport } from '../src/cli/report/data.ts';
import { createEventLines } from '../src/cli/show/event-lines.ts';
import { foldTimeline } from '../src/visualizations.ts';
import { runStandingOf } from '../visualizations/pictures/run-standing.ts';
import { createRunHistory } from '../visualizations/dashboard/src/data/run-history.ts';
import { createFaceMaker } from '../visualizations/dashboard/src/run/graph/phase-face.ts';
import { startPhaseHistory } from '../visualizations/dashboard/src/run/phase/phase-history.ts';
import { knownBefore, wordsOf } from '../visualizations/dashboard/src/run/records/record-words.ts';
import { fake, play } from './rig.ts';

it('numbers the attempts of a phase alike everywhere, over all its generations', async () => {
  //  plan ──▶ draft ──▶ check       check ⇢ plan, so that draft starts afresh
  const { records } = await play([
    fake('plan'),
    fake('draft', { after: ['plan'], verdicts: ['RETRY: more', 'APPROVE', 'RETRY: better', 'APPROVE'] }),
    fake('check', {
      after: ['draft'],
      verdicts: ['RETRY_PREDECESSOR plan: another', 'APPROVE'],
      rewindTo: 'ancestors',
    }),
  ]);
  const moment = createRunHistory().at(records, records.length);
  const { plan, snapshot } = moment;
  if (!plan) throw new Error('the run has no plan');
  const numbers = [1, 2, 3, 4];
  // Each generation numbers its attempts from 0.
  expect(snapshot.phases['draft']).toMatchObject({ generation: 1, attempt: 1, attempts: 4 });

  const timeline = foldTimeline();
  const history = startPhaseHistory('draft');
  const report = foldReport();
  const lineOf = createEventLines();
  const lines: string[] = [];
  for (const record of records) {
    timeline.apply(record);
    history.apply(record);
    report.apply(record);
    const line = lineOf(record);
    if (record.event.type === 'phase.started' && record.event.phase === 'draft') {
      lines.push(line.replace(/^.*draft: /u, '').replace(/:.*$/u, ''));
      lines.push(wordsOf(record, knownBefore(records, record, plan)).replace(/:.*$/u, ''));
    }
  }
  const bars = timeline.timeline().bars.filter(({ phase, kind }) => phase === 'draft' && kind === 'work');
  expect(bars.map(({ number }) => number)).toEqual(numbers);
  expect(history.read().attempts.map(({ number }) => number)).toEqual(numbers);
  expect(lines.filter((line) => /attempt/u.test(line))).toEqual([
    'started, attempt 2',
    'started, attempt 2',
    'started, attempt 4',
    'started, attempt 4',
  ]);
  const decisions = report
    .data({ ...INFO, runId: snapshot.runId }, null)
    .decisions.filter(({ phase }) => phase === 'draft');
  expect(decisions.map(({ number }) => number)).toEqual(numbers);
  const face = createFaceMaker()
    .facesOf(moment)
    .find(({ name }) => name === 'draft');
  expect(face?.attempt).toMatch(/^attempt 4/u);
  expect(runStandingOf(plan, snapshot, []).phases.get('draft')?.notes[0]).toBe('attempt 4');
});

// --- internal ---

/** A run in a list, of which the report shows only the head. */
const INFO = {
  pipeline: 'p',
  status: 'completed',
  seq: 1,
  startedAt: 0,
  updatedAt: 0,
} as never as Parameters<ReturnType<typeof foldReport>['data']>[0];
