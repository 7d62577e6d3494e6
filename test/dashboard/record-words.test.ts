import { describe, expect, it } from 'vitest';
import { definePipeline, requestChanges, type RunEvent } from '../../src/index.ts';
import { issueId } from '../../src/model/issue.ts';
import { issuesBefore } from '../../visualizations/dashboard/src/run/moments.ts';
import { isRecordWanted, typesOf } from '../../visualizations/dashboard/src/run/record-filter.ts';
import { wordsOf } from '../../visualizations/dashboard/src/run/record-words.ts';
import { fake } from '../rig.ts';
import { eventfulRun } from './eventful.ts';

const at = { phase: 'a', generation: 0, attempt: 1 } as const;
const work = { ...at, task: 't' } as const;
const error = { code: 'TASK_FAILED', name: 'Error', message: 'broken\nDocs: docs/errors.md#TASK_FAILED' } as const;
const correction = { attempt: 0, from: 'a', feedback: 'more' } as const;

describe('wordsOf()', () => {
  it('tells an approval with edits apart', () => {
    const verdict = { type: 'approve' } as const;
    expect(
      wordsOf({ type: 'review.decided', ...at, by: 'person', verdicts: {}, verdict, edited: { t: 1, u: 2 } }),
    ).toBe('a person decided: approved with edits: t, u');
  });

  it('tells of a loop what its issues say, as the review before has it', () => {
    const issues = ['No login.', 'x'.repeat(200)].map((description) => ({ severity: 'high', description }) as const);
    const ids = issues.map((issue) => issueId(issue));
    const events: readonly RunEvent[] = [
      { type: 'review.decided', ...at, by: 'gate', verdict: requestChanges([...issues]), verdicts: {} },
      { type: 'review.decided', ...at, phase: 'b', by: 'gate', verdict: { type: 'approve' }, verdicts: {} },
      { type: 'loop.detected', ...at, kind: 'issue', issues: ids, rewinds: [] },
    ];
    const records = events.map((event, index) => ({ v: 1, runId: 'r', seq: index + 1, time: 0, event }) as const);
    const [, , loop] = records;
    expect(loop && wordsOf(loop.event, issuesBefore(records, loop))).toBe(
      `goes round in a loop: "No login.", "${'x'.repeat(120)}…" are open again, and nothing was corrected`,
    );
  });

  it('tells a run', async () => {
    const records = await eventfulRun();
    const told = (phase: string) =>
      records.flatMap(({ event }) => ('phase' in event && event.phase === phase ? [wordsOf(event)] : []));
    expect(told('a')).toEqual([
      'started',
      'work started',
      'work is done',
      'review',
      'verdict: retry: more',
      'retry 1: more',
      'attempt 2 started: more',
      'work started',
      'work is done',
      'review',
      'verdict: approve',
      'approved, version 1',
      'attempt 3 started: other numbers',
      'work started',
      'work is done',
      'review',
      'verdict: approve',
      'approved, version 2',
    ]);
    expect(told('c')).toEqual([
      'started',
      'work started',
      'work is done',
      'review',
      'verdict: escalate: is it good?',
      'waits for a person: is it good?',
      'a person decided: approve',
      'approved, version 1',
    ]);
    expect(told('e')).toEqual(['started', 'work started', 'work failed: broken', 'failed: broken']);
    expect(records.flatMap(({ event }) => ('phase' in event ? [] : [wordsOf(event)]))).toEqual([
      'The run of rig started, with 7 phases',
      'The run ended: cancelled: enough',
    ]);
  });

  it('tells what else can happen', () => {
    const { plan } = definePipeline({ name: 'p', phases: [fake('a').definition] });
    const events: readonly RunEvent[] = [
      { type: 'run.resumed' },
      { type: 'run.resumed', plan, fingerprint: 'f' },
      { type: 'run.reopened' },
      { type: 'run.ended', status: 'failed', error },
      { type: 'limit.reached', limit: 'costUsd', used: 4, max: 5, holds: null },
      {
        type: 'limit.reached',
        limit: 'costUsd',
        used: 4,
        max: 5,
        holds: null,
        refused: { phase: 'a', task: 't', estimate: 2 },
      },
      { type: 'limit.lifted', limit: 'costUsd', who: 'ada' },
      { type: 'item.changed', item: 7, change: 'reminded' },
      { type: 'item.changed', item: 7, change: 'raised', severity: 'urgent' },
      { type: 'item.changed', item: 7, change: 'expired' },
      { type: 'item.changed', item: 7, change: 'expired', queue: 'legal' },
      { type: 'item.changed', item: 7, change: 'refused', reason: 'no number', who: 'bob' },
      { type: 'task.started', ...work, try: 2 },
      { type: 'task.reported', ...work, reviewer: true, tokens: 1500, costUsd: 0.25, model: 'm', progress: 0.5 },
      {
        type: 'task.reported',
        ...work,
        reviewer: false,
        progress: 'half',
        artifact: { name: 'file', content: 1 },
        observation: 'seen',
      },
      { type: 'task.reported', ...work, reviewer: false },
      { type: 'task.retrying', ...work, reviewer: false, try: 1, error, delayMs: 1500 },
      { type: 'task.failed', ...work, try: 2, error, rework: { phase: 'b', feedback: 'numbers' } },
      { type: 'task.asked', ...work, reviewer: true, question: 'Fine?', inbox: {} },
      { type: 'task.answered', ...work, reviewer: true, answer: 'yes', who: 'ada' },
      { type: 'review.started', ...at, asked: 2 },
      { type: 'review.decided', ...at, by: 'gate', verdicts: {}, verdict: { type: 'unrecognised', text: 'hm' } },
      { type: 'review.decided', ...at, by: 'gate', verdicts: {}, verdict: { type: 'unavailable', error } },
      {
        type: 'review.decided',
        ...at,
        by: 'gate',
        verdicts: {},
        verdict: { type: 'inconclusive', decision: { type: 'reject', reason: 'bad' } },
      },
      {
        type: 'review.decided',
        ...at,
        by: 'person',
        who: 'ada',
        verdicts: {},
        verdict: { type: 'retryPredecessor', phase: 'b', feedback: 'x' },
      },
      { type: 'review.decided', ...at, by: 'worker', verdicts: {}, verdict: { type: 'escalate', reason: 'y' } },
      { type: 'phase.retrying', ...at, by: 'gate', spent: 2, correction: { ...correction, requiredChange: 'Add it.' } },
      { type: 'loop.detected', ...at, kind: 'issue', issues: ['i'], rewinds: [] },
      {
        type: 'loop.detected',
        ...at,
        kind: 'rewind',
        issues: [],
        rewinds: [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'a' },
        ],
      },
      { type: 'phase.warned', ...at, code: 'W', message: 'careful' },
      { type: 'phase.reflected', ...at, reflection: 'I forgot.' },
      { type: 'phase.reflected', ...at },
      { type: 'check.baselined', ...at, passed: ['lint'], failed: [] },
      { type: 'check.baselined', ...at, passed: [], failed: [{ check: 'tests', details: 'two' }] },
      { type: 'phase.read', ...at, source: 'b' },
      { type: 'phase.approved', ...at, because: 'exhausted', outputs: {}, version: 2, read: {} },
      { type: 'phase.stale', phase: 'a', because: 'b' },
      { type: 'phase.invalidated', phase: 'a', generation: 1, because: 'b' },
      { type: 'phase.skipped', phase: 'a', because: 'no need', who: 'ada' },
    ];
    expect(events.map((event) => wordsOf(event))).toEqual([
      'Another process goes on with the run',
      'Another process goes on with the run, with a changed definition',
      'The run goes on: what was not approved runs again',
      'The run ended: failed: broken',
      'The limit costUsd is reached: 4 of 5',
      'The limit costUsd is reached: 4 of 5 before t of a, which may use 2',
      'The limit costUsd is lifted by ada',
      'question 7 still waits for a person',
      'question 7 still waits, urgent now',
      'nobody answered question 7 in time',
      'question 7 goes to legal',
      'an answer of bob to question 7 was refused: no number',
      't started, try 2',
      'reviewer t is at 50%, used 1.5k tokens, $0.25, with m',
      't half, put out the artifact file, observed: seen',
      't reported',
      't failed at try 1, the next begins in 1.5 s: broken',
      't demands rework of b: numbers',
      'reviewer t asks a person: Fine?',
      'reviewer t was answered by ada',
      'review, asked 2 times',
      'verdict: no verdict in the answer: hm',
      'verdict: no answer: broken',
      'verdict: not sure enough to reject: bad',
      'a person decided (ada): send back b: x',
      'a task demands: escalate: y',
      'retry 2: Add it.',
      'goes round in a loop: i is open again, and nothing was corrected',
      'goes round in a loop: a sends back b, b sends back a',
      'warning: careful',
      'reflects: I forgot.',
      'reflects: nothing came of it',
      'passed before it began: lint',
      'failed before it began: tests',
      'reads b',
      'approved although changes were asked for, as the retries are spent, version 2',
      'stale, as b has a newer version',
      'must run again, because of b',
      'skipped by ada: no need',
    ]);
  });

  it('keeps to one short line, whatever a model has written, and lets nothing turn it around', () => {
    const words = wordsOf({ type: 'phase.rejected', ...at, reason: `a\n\u202Eb${'c'.repeat(1_000_000)}` });
    expect(words.startsWith('rejected: a ⟨U+202E⟩bccc')).toBe(true);
    expect(words.endsWith('c…')).toBe(true);
    expect(words.length).toBeLessThan(330);
  });
});

describe('isRecordWanted()', () => {
  it('finds records by type and phase, and rewinds by both of theirs', async () => {
    const records = await eventfulRun();
    const found = (find: string, only: string) =>
      records.filter((record) => isRecordWanted(record, { find, only })).map(({ event }) => event.type);
    expect(found('', 'phase.rewinding')).toEqual(['phase.rewinding']);
    expect(found('A', 'phase.rewinding')).toEqual(['phase.rewinding']);
    expect(found('b', 'phase.rewinding')).toEqual(['phase.rewinding']);
    expect(found('c', 'phase.rewinding')).toEqual([]);
    expect(found('g', '')).toEqual(['phase.skipped']);
    expect(found('', '')).toHaveLength(records.length);
    expect(typesOf(records).reduce((sum, [, count]) => sum + count, 0)).toBe(records.length);
  });
});
