import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  escalate,
  human,
  phase,
  resumeRun,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Answer,
  type GatePolicy,
  type InboxPolicy,
  type Pipeline,
  type Run,
  memoryStore,
  readRun,
} from '../src/index.ts';
import { answerItem } from '../src/inbox.ts';
import { replay } from '../src/machines/replay/replay.ts';
import { lineOf } from './line.ts';
import { idle, simulatedTime, type SimulatedTime } from './rig.ts';

/** A pipeline that waits for a person, with the inbox policy of the gate. */
function gated(inbox: GatePolicy['inbox']): Pipeline<unknown> {
  const one = phase('a', { tasks: [task('t', { run: () => 1 })], review: { by: () => escalate('Well?'), inbox } });
  return definePipeline({ name: 'gated', phases: [one] });
}

/** A pipeline that a limit holds before its second phase. */
function limited(inbox: GatePolicy['inbox']): Pipeline<unknown> {
  return definePipeline({
    name: 'limited',
    policy: { onLimit: 'escalate', inbox },
    limits: { tokens: 0 },
    phases: [
      phase('a', { tasks: [task('t', { run: ({ report }) => report({ tokens: 1 }) })] }),
      phase('b', { after: ['a'], tasks: [task('t', { run: () => 2 })] }),
    ],
  });
}

/** A pipeline with a person as a task. */
function asked(policy: InboxPolicy): Pipeline<unknown> {
  return definePipeline({
    name: 'asked',
    phases: [phase('a', { tasks: [task('t', { timeout: 1, run: human({ question: 'Well?', ...policy }) })] })],
  });
}

describe('an item for a person', () => {
  it('is assigned to a queue, reminded of, escalated and reassigned, and still waits', async () => {
    const inbox = { queue: 'q', remindAfterMs: 10, raiseAfterMs: 20, expireAfterMs: 30, onExpiry: { queue: 'boss' } };
    const { run, time, lines } = await started(gated(inbox));
    expect(run.inbox()).toMatchObject([{ queue: 'q', severity: 'normal', remindAt: 10, expireAt: 30, dueAt: 10 }]);
    expect(time.pending()).toBe(1);
    await time.pass(9);
    expect(lines).toEqual(['0 a started 0', '0 a escalated (requested): Well?']);
    await time.pass(1_000_000);
    expect(lines.slice(2)).toEqual(['10 item 7 reminded', '20 item 7 raised (high)', '30 item 7 expired (boss)']);
    expect(run.inbox()).toMatchObject([{ queue: 'boss', severity: 'high', expired: true, dueAt: undefined }]);
    expect(time.pending()).toBe(0);
    await run.decide('a', 'APPROVE');
    expect((await run.result).status).toBe('completed');
  });

  it('is rejected at its deadline if the policy says so, and never approved', async () => {
    const { run, time, lines } = await started(gated({ expireAfterMs: 5, onExpiry: 'reject' }));
    await time.pass(5);
    expect((await run.result).status).toBe('rejected');
    expect(lines.slice(2)).toEqual(['5 item 7 expired', '5 a rejected: Nobody answered in time', '5 run rejected']);
    expect(run.snapshot().phases['a']?.decisions.at(-1)).toMatchObject({ by: 'person' });
  });

  it('waits without a deadline by default', async () => {
    const { run, time } = await started(gated({ expireAfterMs: 5 }));
    await time.pass(1e12);
    expect(run.inbox()).toMatchObject([{ expired: true }]);
    run.cancel();
    await run.result;
  });

  it('has no timer once it was decided', async () => {
    const { run, time } = await started(gated({ remindAfterMs: 5 }));
    expect(time.pending()).toBe(1);
    await run.decide('a', 'APPROVE');
    await run.result;
    expect(time.pending()).toBe(0);
  });
});

describe('a limit that holds the run', () => {
  it('is reminded of, escalated and reassigned by the policy, and still holds', async () => {
    const inbox = { queue: 'q', remindAfterMs: 10, raiseAfterMs: 20, expireAfterMs: 30, onExpiry: { queue: 'boss' } };
    const { run, time, lines } = await started(limited(inbox));
    expect(run.inbox()).toMatchObject([{ kind: 'limit', about: 'tokens', queue: 'q', severity: 'normal', dueAt: 10 }]);
    await time.pass(1_000_000);
    expect(lines.slice(-3)).toEqual(['10 item 3 reminded', '20 item 3 raised (high)', '30 item 3 expired (boss)']);
    expect(run.inbox()).toMatchObject([{ queue: 'boss', severity: 'high', expired: true, dueAt: undefined }]);
    await run.decide('tokens', 'APPROVE');
    expect((await run.result).status).toBe('completed');
  });

  it('ends the run at the deadline if the policy says so, and is never lifted', async () => {
    const { run, time, lines } = await started(limited({ expireAfterMs: 5, onExpiry: 'reject' }));
    await time.pass(5);
    const reason = 'The limit for tokens is spent, and was not lifted: Nobody answered in time';
    expect(await run.result).toMatchObject({ status: 'exhausted', limit: 'tokens', reason });
    expect(lines.slice(-4)).toEqual([
      '5 item 3 expired',
      `5 a cancelled by ${reason}`,
      `5 b skipped by ${reason}`,
      `5 run exhausted (tokens): ${reason}`,
    ]);
  });

  it('ends as late after a resume as before, and can be replayed', async () => {
    const store = memoryStore();
    const pipeline = limited({ expireAfterMs: 100, onExpiry: 'reject' });
    const first = await started(pipeline, { store });
    first.run.suspend();
    await first.run.result;
    const time = simulatedTime();
    await time.pass(60);
    const run = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    expect(run.inbox()).toMatchObject([{ kind: 'limit', dueAt: 100 }]);
    await time.pass(40);
    expect((await run.result).status).toBe('exhausted');
    const records = await readRun(store, 'r');
    expect(replay({ run: 'r', plan: pipeline.plan }, records).unrecorded).toEqual([]);
    // Spent limits stay spent: the limit asks again before anything starts.
    const again = await retryRun(store, 'r', pipeline, { clock: time.clock });
    await idle();
    expect(again.inbox()).toMatchObject([{ kind: 'limit', about: 'tokens' }]);
    await again.decide('tokens', 'APPROVE');
    expect((await again.result).status).toBe('completed');
  });

  it('follows the policy of the gate if it holds only a phase', async () => {
    const pipeline = definePipeline({
      name: 'p',
      policy: { onLimit: 'escalate', inbox: { queue: 'q' } },
      limits: { perPair: 0 },
      phases: [
        phase('a', { tasks: [task('t', { run: () => 1 })] }),
        phase('b', { after: ['a'], tasks: [task('t', { run: () => 1 })], review: () => retryPredecessor('a', 'more') }),
      ],
    });
    const { run } = await started(pipeline);
    expect(run.inbox()).toMatchObject([{ kind: 'escalation', about: 'b', because: 'limit', queue: 'q' }]);
    run.cancel();
    await run.result;
  });
});

describe('a person as a task', () => {
  it('is not subject to the timeout of the task', async () => {
    const { run, time } = await started(asked({}));
    await time.pass(1e12);
    const [item] = run.inbox();
    await run.answer(item?.id ?? '', { type: 'value', value: 1 });
    expect((await run.result).status).toBe('completed');
  });

  it('fails the task at the deadline if the policy says so', async () => {
    const { run, time, lines } = await started(asked({ expireAfterMs: 5, onExpiry: 'reject' }));
    await time.pass(5);
    expect((await run.result).phases['a']?.error?.code).toBe('ANSWER_OVERDUE');
    expect(lines).toEqual([
      '0 a started 0',
      '0 a/t asks: Well?',
      '5 item 4 expired',
      '5 a failed with ANSWER_OVERDUE',
      '5 run failed',
    ]);
  });

  it('rejects as a reviewer', async () => {
    const by = human<Answer>({ question: 'Well?', expireAfterMs: 5, onExpiry: 'reject' });
    const one = phase('a', { tasks: [task('t', { run: () => 1 })], review: { by } });
    const { run, time } = await started(definePipeline({ name: 'p', phases: [one] }));
    await time.pass(5);
    expect((await run.result).status).toBe('rejected');
  });

  it('is distinguished from the next attempt of the same task', async () => {
    const policy = { expireAfterMs: 5, onExpiry: 'reject' } as const;
    const retry = { attempts: 2, backoff: { first: 1 } };
    const one = phase('a', { tasks: [task('t', { retry, run: human({ question: 'Well?', ...policy }) })] });
    const { run, time, lines } = await started(definePipeline({ name: 'p', phases: [one] }));
    await time.pass(7);
    expect(lines.slice(1)).toEqual(['0 a/t asks: Well?', '5 item 4 expired', '6 a/t asks: Well?']);
    await run.answer(run.inbox()[0]?.id ?? '', { type: 'value', value: 1 });
    expect((await run.result).status).toBe('completed');
  });
});

describe('deadlines', () => {
  it('are absolute: a deadline that passed without a process takes effect on resume', async () => {
    const store = memoryStore();
    const pipeline = gated({ remindAfterMs: 10, raiseAfterMs: 50, expireAfterMs: 100, onExpiry: 'reject' });
    const first = await started(pipeline, { store });
    await first.time.pass(20);
    first.run.suspend();
    await first.run.result;
    expect(first.time.pending()).toBe(0);

    const time = simulatedTime();
    await time.pass(60);
    const run = await resumeRun(store, 'r', pipeline, { clock: time.clock });
    const lines = follow(run);
    await time.pass(0);
    await idle();
    expect(lines.slice(2)).toEqual(['10 item 7 reminded', '60 run resumed', '60 item 7 raised (high)']);
    await time.pass(40);
    expect((await run.result).status).toBe('rejected');
    expect(lines.slice(5)).toEqual([
      '100 item 7 expired',
      '100 a rejected: Nobody answered in time',
      '100 run rejected',
    ]);
  });

  it('accept an answer that was given in time', async () => {
    const store = memoryStore();
    const pipeline = gated({ expireAfterMs: 10, onExpiry: 'reject' });
    const { run, time } = await started(pipeline, { store });
    const [item] = run.inbox();
    await answerItem(store, item?.id ?? '', { type: 'decide', decision: 'APPROVE' });
    await time.pass(10);
    expect((await run.result).status).toBe('completed');
  });
});

// --- internal ---

interface Started {
  readonly run: Run<unknown>;
  readonly time: SimulatedTime;
  readonly lines: readonly string[];
}

/** Starts a run on simulated time, and waits until it asks a person. */
async function started(pipeline: Pipeline<unknown>, options: Parameters<typeof startRun>[1] = {}): Promise<Started> {
  const time = simulatedTime();
  const run = startRun(pipeline, { ...options, runId: 'r', clock: time.clock });
  const lines = follow(run);
  while (run.inbox().length === 0) await idle();
  return { run, time, lines };
}

function follow(run: Run<unknown>): readonly string[] {
  const lines: string[] = [];
  run.events$.subscribe(({ event, time }) => {
    const line = lineOf(event);
    if (line !== undefined) lines.push(`${time} ${line}`);
  });
  return lines;
}
