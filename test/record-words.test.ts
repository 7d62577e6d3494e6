/** Texts of records, which terminals and the dashboard share. */
import { describe, expect, it } from 'vitest';
import { definePipeline } from '../src/index.ts';
import type { RunEvent } from '../src/records.ts';
import { createEventLines } from '../src/cli/show/event-lines.ts';
import { errorText } from '../src/projections/wording/error-words.ts';
import { recordText, recordWords, type KnownBefore } from '../src/projections/wording/record-words.ts';
import { verdictWords } from '../src/projections/wording/verdict-words.ts';
import { wordsOf } from '../visualizations/dashboard/src/run/records/record-words.ts';
import { eventfulRun } from './dashboard/eventful.ts';
import { fake } from './rig.ts';

const at = { phase: 'a', generation: 0, attempt: 1 } as const;
const work = { ...at, task: 't' } as const;
const error = { code: 'TASK_FAILED', name: 'TypeError', message: 'broken\nDocs: docs/errors.md#TASK_FAILED' } as const;
const correction = { attempt: 0, from: 'a', feedback: 'more' } as const;

function textOf(event: RunEvent, known?: KnownBefore): string {
  return recordText(recordWords({ runId: 'r', event }, VOICE, known));
}

const VOICE = {
  duration: (ms: number) => `${ms} ms`,
  usage: ({ tokens, costUsd }: { readonly tokens: number; readonly costUsd: number }) => `${tokens} and ${costUsd}`,
  error: errorText,
};

describe('verdictWords()', () => {
  it('keeps the text of a reviewer, and removes the documentation from errors of this package', () => {
    const feedback = 'Link the manual, as it is in\n\nDocs: https://docs.example';
    expect(verdictWords({ type: 'retry', feedback })).toEqual({ what: 'retry', text: feedback });
    expect(verdictWords({ type: 'unavailable', error })).toEqual({ what: 'no answer', text: 'broken' });
  });
});

describe('recordWords()', () => {
  it('separates the subject, the event, and the quoted text', () => {
    const event = { type: 'task.asked', ...work, reviewer: true, question: 'Fine?\nReally?', inbox: {} } as const;
    expect(recordWords({ runId: 'r', event }, VOICE)).toEqual({
      who: 'reviewer t',
      what: 'asks a person',
      text: 'Fine?\nReally?',
    });
    const retry = { type: 'phase.retrying', ...at, by: 'gate', spent: 1, correction } as const;
    const gate = { maxRetries: 2, maxPredecessorRetries: 'unlimited' } as const;
    expect(recordWords({ runId: 'r', event: retry }, VOICE, { gate })).toEqual({
      who: '',
      what: 'retry 1/2',
      text: 'more',
    });
    const rewind = { type: 'phase.rewinding', ...at, by: 'gate', spent: 1, correction, target: 'b' } as const;
    expect(textOf(rewind, { gate })).toBe('sends back b 1: more');
    expect(textOf(rewind)).toBe('sends back b 1: more');
  });

  it('ends a problem with a period if advice follows', () => {
    const message = 'Cannot wait longer: 5s\nRaise it.\nDocs: docs/errors.md#TASK_TIMEOUT';
    const event = {
      type: 'task.failed',
      ...work,
      try: 1,
      error: { code: 'TASK_TIMEOUT', name: 'TimeoutError', message },
    } as const;
    expect(textOf(event)).toBe('t failed: TimeoutError: Cannot wait longer: 5s. Raise it.');
    expect(textOf({ type: 'phase.warned', ...at, code: 'W', message: 'a\nb' })).toBe('warning: a\nb');
  });

  it('gives the texts of a terminal and the dashboard, apart from formats of durations', async () => {
    const records = await eventfulRun();
    const line = createEventLines();
    const told = records.map((record) => line(record).replace(/^ *\S+ {2}/u, ''));
    expect(told).toEqual(
      records.map((record) => {
        const { event } = record;
        // A terminal shows the feedback of an attempt on an earlier line of its own.
        const known = { ...knownOf(event), isTold: true };
        return `${'phase' in event ? `${event.phase}: ` : ''}${recordText(recordWords(record, VOICE, known))}`;
      }),
    );
    expect(records.map((record) => wordsOf(record, knownOf(record.event)))).toEqual(
      records.map((record) => recordText(recordWords(record, VOICE, knownOf(record.event)))),
    );
  });

  it('has a text for every event', () => {
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
      { type: 'task.reported', ...work, reviewer: false, tokens: 60, costUsd: 0.5, estimated: true },
      { type: 'task.retrying', ...work, reviewer: false, try: 1, error, delayMs: 1500 },
      { type: 'task.failed', ...work, try: 2, error, rework: { phase: 'b', feedback: 'numbers' } },
      { type: 'task.asked', ...work, reviewer: true, question: 'Fine?', inbox: {} },
      { type: 'task.dropped', ...work, reviewer: false, try: 1 },
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
      { type: 'loop.detected', ...at, kind: 'feedback', issues: [], rewinds: [], times: 2 },
      { type: 'loop.detected', ...at, kind: 'unchanged', issues: [], rewinds: [], times: 2 },
      { type: 'attempt.unchanged', ...at, times: 1 },
      { type: 'attempt.unchanged', ...at, times: 3 },
      { type: 'phase.warned', ...at, code: 'W', message: 'careful' },
      { type: 'phase.reflected', ...at, reflection: 'I forgot.' },
      { type: 'phase.reflected', ...at },
      { type: 'check.baselined', ...at, passed: ['lint'], failed: [] },
      { type: 'check.baselined', ...at, passed: [], failed: [{ check: 'tests', details: 'two' }] },
      { type: 'phase.read', ...at, source: 'b' },
      { type: 'phase.approved', ...at, because: 'exhausted', outputs: {}, version: 2, read: {} },
      { type: 'phase.unaffected', phase: 'a', source: 'b', version: 3 },
      { type: 'phase.stale', phase: 'a', because: 'b' },
      { type: 'phase.invalidated', phase: 'a', generation: 1, because: 'b' },
      { type: 'phase.skipped', phase: 'a', because: 'no need', who: 'ada' },
    ];
    expect(events.map((event) => textOf(event))).toEqual([
      'run r resumed',
      'run r resumed with a changed definition',
      'run continues: phases that were not approved run again',
      'run failed: TypeError: broken',
      'limit costUsd reached, 4 of 5',
      'limit costUsd reached, 4 of 5 before t of a, which may use 2',
      'limit costUsd lifted by ada',
      'question 7 still waits for a person',
      'question 7 still waits, urgent now',
      'nobody answered question 7 in time',
      'question 7 goes to legal',
      'an answer of bob to question 7 was refused: no number',
      't started, try 2',
      'reviewer t is at 50%, used 1500 and 0.25 with m',
      't half, reported the artifact file, observed: seen',
      't reported',
      't used 60 and 0.5 (estimated)',
      't failed, try 2 in 1500 ms: TypeError: broken',
      't demands rework of b: numbers',
      'reviewer t asks a person: Fine?',
      't came too late: the phase has restarted, and the result is dropped',
      'reviewer t was answered by ada',
      'review, asked 2 times',
      'verdict: no verdict in the answer: hm',
      'verdict: no answer: broken',
      'verdict: not sure enough to reject: bad',
      'a person decided (ada): send back b: x',
      'a task demands: escalate: y',
      'retry 2: more',
      'goes round in a loop: i is open again, and nothing was corrected',
      'goes round in a loop: a sends back b, b sends back a',
      'goes round in a loop: the same was demanded in the same words 3 times in a row',
      'goes round in a loop: 2 attempts in a row had the outputs that were sent back, and they are sent back again',
      'unchanged: its outputs are those that were sent back',
      'unchanged: 3 attempts in a row had the outputs that were sent back',
      'warning: careful',
      'reflects: I forgot.',
      'reflects: no reflection was made',
      'passed before it began: lint',
      'failed before it began: tests',
      'reads b',
      'approved although changes were asked for, as the retries are spent, version 2',
      'unaffected: version 3 of b has the same content, and counts as read',
      'stale, as b has a newer version',
      'must run again, because of b',
      'skipped by ada: no need',
    ]);
  });
});

// --- internal ---

/** Returns the gate limits before the event. The eventful run has only default limits. */
function knownOf(event: RunEvent): KnownBefore {
  return 'phase' in event ? { gate: { maxRetries: 2, maxPredecessorRetries: 2 } } : {};
}
