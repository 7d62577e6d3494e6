/** Rare sequences of records, written by hand. */
import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { RunEvent, RunRecord } from 'phasegate/records';
import { afterEach, describe, expect, it } from 'vitest';
import { spanNamed, spansOf, treeOf } from './spans.ts';

describe('links', () => {
  it('belong to the next generation, not to an attempt that its own gate requested meanwhile', async () => {
    const plan = at('plan');
    const spans = await spansOf(
      told(
        { type: 'phase.started', ...plan },
        { type: 'phase.started', ...at('build') },
        rewinding('build', 'plan'),
        { type: 'phase.retrying', ...plan, correction: correction('plan'), by: 'gate', spent: 1 },
        { type: 'phase.started', ...plan, attempt: 1 },
        approved('plan', { attempt: 1 }),
        { type: 'phase.started', ...plan, generation: 1, attempt: 2 },
      ),
    );
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow unfinished",
        "  phase plan approved",
        "    attempt plan retrying [phase.retrying]",
        "    attempt plan approved",
        "  phase build unfinished",
        "    attempt build rewinding [phase.rewinding]",
        "  phase plan unfinished ← rewind attempt build",
        "    attempt plan unfinished",
      ]
    `);
  });

  it('belong to attempts if the phase that is sent back waits itself', async () => {
    const spans = await spansOf(
      told(
        { type: 'phase.started', ...at('build') },
        rewinding('build', 'plan'),
        { type: 'phase.started', ...at('ship') },
        rewinding('ship', 'build'),
        { type: 'phase.started', ...at('build') },
      ),
    );
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow unfinished",
        "  phase build unfinished",
        "    attempt build rewinding [phase.rewinding]",
        "    attempt build unfinished ← rewind attempt ship",
        "  phase ship unfinished",
        "    attempt ship rewinding [phase.rewinding]",
      ]
    `);
  });

  it('belong to phases with issues of a rewind, too', async () => {
    const riders = [{ phase: 'design', correction: correction('build') }];
    const spans = await spansOf(
      told(
        { type: 'phase.started', ...at('build') },
        { ...rewinding('build', 'plan'), riders },
        { type: 'phase.started', ...at('plan'), generation: 1 },
        { type: 'phase.started', ...at('design'), generation: 1 },
      ),
    );
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow unfinished",
        "  phase build unfinished",
        "    attempt build rewinding [phase.rewinding]",
        "  phase plan unfinished ← rewind attempt build",
        "    attempt plan unfinished",
        "  phase design unfinished ← rewind attempt build",
        "    attempt design unfinished",
      ]
    `);
  });
});

describe('records that end', () => {
  it('in a review leave it unfinished', async () => {
    const spans = await spansOf(
      told({ type: 'phase.started', ...at('plan') }, { type: 'review.started', ...at('plan'), asked: 0 }),
    );
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow unfinished",
        "  phase plan unfinished",
        "    attempt plan unfinished",
        "      review plan unfinished",
      ]
    `);
  });

  it('with a rejection during a task stop it', async () => {
    const spans = await spansOf(
      told(
        { type: 'phase.started', ...at('plan') },
        { type: 'task.started', ...at('plan'), task: 'text', try: 1 },
        { type: 'phase.cancelled', phase: 'plan', because: 'The run was cancelled.' },
        { type: 'run.ended', status: 'cancelled', reason: 'No time.' },
      ),
    );
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow cancelled",
        "  phase plan cancelled",
        "    attempt plan cancelled",
        "      task text stopped",
      ]
    `);
  });
});

describe('a run that fails', () => {
  it('names the first phase that failed', async () => {
    const error = (message: string) => ({ code: 'TASK_FAILED', name: 'Error', message });
    const spans = await spansOf(
      told(
        { type: 'phase.started', ...at('plan') },
        { type: 'phase.started', ...at('build') },
        { type: 'phase.rejected', ...at('plan'), reason: 'No.' },
        { type: 'phase.failed', ...at('build'), error: error('No disk.') },
        { type: 'phase.failed', ...at('ship'), error: error('No boat.') },
        { type: 'run.ended', status: 'failed' },
      ),
    );
    const { status, attributes } = spanNamed(spans, 'invoke_workflow');
    expect(status.message).toBe('Phase "build" failed: No disk.');
    expect(attributes['error.type']).toBe('TASK_FAILED');
  });
});

describe('a person', () => {
  it('may decide about a phase whose attempt has ended', async () => {
    const spans = await spansOf(
      told(
        { type: 'phase.started', ...at('plan') },
        { type: 'phase.retrying', ...at('plan'), correction: correction('plan'), by: 'gate', spent: 1 },
        { type: 'phase.escalated', ...at('plan'), because: 'limit', reason: 'Enough.' },
        decided({ type: 'reject', reason: 'Enough.' }),
        { type: 'phase.rejected', ...at('plan'), reason: 'Enough.' },
        { type: 'run.ended', status: 'rejected' },
      ),
    );
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow rejected ERROR rejected: Phase "plan" rejected: Enough.",
        "  phase plan rejected ERROR rejected: Enough. [phase.escalated] [evaluation.result]",
        "    attempt plan retrying [phase.retrying]",
      ]
    `);
  });
});

describe('a clock that is set back', () => {
  afterEach(() => diag.disable());

  it('ends spans at their start time, without warnings of the SDK', async () => {
    const warnings: unknown[] = [];
    const warn = (...texts: unknown[]) => void warnings.push(texts);
    const silent = () => undefined;
    diag.setLogger({ warn, error: warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
    const records = told(
      { type: 'phase.started', ...at('plan') },
      { type: 'task.started', ...at('plan'), task: 'text', try: 1 },
      { type: 'task.completed', ...at('plan'), task: 'text', try: 1, output: 1 },
      approved('plan'),
      { type: 'run.ended', status: 'completed' },
    ).map((record) => ({ ...record, time: 1e12 - record.time }));
    const spans = await spansOf(records);
    expect(spans.map(({ duration }) => duration)).toEqual(spans.map(() => [0, 0]));
    expect(warnings).toEqual([]);
  });
});

// --- internal ---

function told(...events: readonly RunEvent[]): readonly RunRecord[] {
  return events.map((event, index) => ({ runId: 'r', seq: index + 1, time: 1000 + index, event }));
}

function at(phase: string) {
  return { phase, generation: 0, attempt: 0 };
}

function correction(from: string) {
  return { attempt: 0, from, feedback: 'Again.' };
}

function rewinding(phase: string, target: string) {
  return {
    type: 'phase.rewinding',
    ...at(phase),
    target,
    correction: correction(phase),
    by: 'gate',
    spent: 1,
  } as const;
}

function approved(phase: string, where = {}) {
  const rest = { because: 'approved', outputs: {}, version: 1, read: {} } as const;
  return { type: 'phase.approved', ...at(phase), ...where, ...rest } as const;
}

function decided(verdict: { readonly type: 'reject'; readonly reason: string }): RunEvent {
  return { type: 'review.decided', ...at('plan'), verdict, verdicts: {}, by: 'person', who: 'ada' };
}
