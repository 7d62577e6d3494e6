/** Runs in a store at rare moments: before their start, during their end, and after it. */
import { EventEmitter, once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/sqlite.ts';
import { drive, simulatedTime, type SimulatedTime } from '../rig.ts';
import { replay } from '../../src/machines/replay/replay.ts';
import { createProgress } from '../../src/machines/replay/work-progress.ts';
import {
  approve,
  definePipeline,
  forkRun,
  phase,
  resumeAll,
  reject,
  resumeRun,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Pipeline,
  type Run,
  memoryStore,
  readRun,
} from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';

/** A pipeline of one phase that asks a person, then another. `calls` collects the executed tasks. */
function asking(calls: string[] = []): Pipeline {
  return definePipeline({
    name: 'asking',
    phases: [
      phase('draft', {
        tasks: [task('write', { run: () => calls.push('draft') })],
        review: () => 'ESCALATE: a person has to see it',
      }),
      phase('print', { after: ['draft'], tasks: [task('write', { run: () => calls.push('print') })] }),
    ],
  });
}

/** A pipeline of one phase that fails until `repaired`. */
function failing(state: { repaired: boolean }): Pipeline {
  return definePipeline({
    name: 'failing',
    phases: [
      phase('work', {
        tasks: [
          task('do', {
            run() {
              if (!state.repaired) throw new Error('broken');
              return 'done';
            },
          }),
        ],
      }),
    ],
  });
}

/** A pipeline in which `b` reads `a`, `c` and `d` read `b`, and `e` sends `a` back while `b` is running. */
function sendingBack(): Pipeline {
  const signals = new EventEmitter();
  return definePipeline({
    name: 'sending-back',
    phases: [
      phase('a', {
        tasks: [
          task('t', {
            async run({ revision }) {
              if (!revision) return 1;
              const done = once(signals, 'done');
              signals.emit('sent back');
              await done;
              // The loop ends once the pipeline has received the event.
              await new Promise((resolve) => setImmediate(resolve));
              return 2;
            },
          }),
        ],
      }),
      phase('b', {
        after: ['a'],
        tasks: [task('t', { run: () => once(signals, 'sent back').then(() => signals.emit('done')) })],
      }),
      phase('c', { after: ['b'], tasks: [task('t', { run: () => 1 })] }),
      phase('d', { after: ['b'], tasks: [task('t', { run: () => 1 })] }),
      phase('e', {
        after: ['a'],
        tasks: [task('t', { run: ({ inputs }) => inputs })],
        review: {
          rewindTo: ['a'],
          by: ({ outputs }) =>
            JSON.stringify(outputs).includes('2') ? approve() : retryPredecessor('a', 'It has to be two.'),
        },
      }),
    ],
  });
}

/** Resolves when the run has published an event of a type. */
function said(run: Run<unknown>, type: string): Promise<void> {
  return new Promise((resolve) => run.events$.subscribe(({ event }) => event.type === type && resolve()));
}

describe('a run in a store that is left before it has begun', () => {
  it('is stored as cancelled if it is cancelled at once', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const run = startRun(asking(calls), { store, runId: 'r' });
    run.cancel('never mind');
    expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'never mind' });
    expect(await store.run('r')).toMatchObject({ status: 'cancelled', lease: undefined });
    expect(calls).toEqual([]);
  });

  it('is stored as cancelled if its signal was aborted before', async () => {
    const store = memoryStore();
    const run = startRun(asking(), { store, runId: 'r', signal: AbortSignal.abort(new Error('no')) });
    expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'no' });
    expect(await store.run('r')).toMatchObject({ status: 'cancelled', lease: undefined });
  });

  it('leaves nothing behind if it is suspended at once', async () => {
    const store = memoryStore();
    const run = startRun(asking(), { store, runId: 'r' });
    run.suspend();
    expect((await run.result).status).toBe('suspended');
    // The lease is free.
    await store.release(await store.acquire('r', 'another', 1000));
    expect(await store.run('r')).toBeUndefined();
  });

  it('leaves no record in a run of that id', async () => {
    const store = memoryStore();
    await (
      await ended(startRun(asking(), { store, runId: 'r' }))
    ).result;
    const before = await readRun(store, 'r');
    const again = startRun(asking(), { store, runId: 'r' });
    again.cancel('never mind');
    await again.result;
    expect(await readRun(store, 'r')).toEqual(before);
    expect(await store.run('r')).toMatchObject({ lease: undefined });
  });

  it('is unchanged if it is resumed with a signal that was aborted before', async () => {
    const store = memoryStore();
    const run = startRun(asking(), { store, runId: 'r' });
    await said(run, 'phase.escalated');
    run.suspend();
    await run.result;
    const again = await resumeRun(store, 'r', asking(), { signal: AbortSignal.abort(new Error('no')) });
    expect(await again.result).toMatchObject({ status: 'cancelled', reason: 'no' });
    expect(await store.run('r')).toMatchObject({ status: 'cancelled', lease: undefined });
    // The journal can be replayed.
    const retried = await retryRun(store, 'r', asking());
    retried.cancel();
    expect((await retried.result).status).toBe('cancelled');
  });
});

describe('work whose run is left while its cause is being stored', () => {
  it.each(['cancel', 'suspend'] as const)('does not begin after %s()', async (way) => {
    const store = memoryStore();
    const calls: string[] = [];
    const waiting: (() => void)[] = [];
    const slow: RunStore = {
      ...store,
      append: (batch, lease) => new Promise((resolve) => waiting.push(() => resolve(store.append(batch, lease)))),
    };
    const run = startRun(asking(calls), { store: slow, runId: 'r' });
    const state = { isOver: false };
    void run.result.then(() => (state.isOver = true));
    // The first batch has the start of the run, and the start of the task.
    await turns();
    expect(waiting).toHaveLength(1);
    run[way]();
    while (!state.isOver) {
      waiting.shift()?.();
      await turns();
    }
    expect(calls).toEqual([]);
    expect((await readRun(store, 'r')).map(({ event }) => event.type)).toContain('task.started');
  });
});

describe('an unavailable review', () => {
  it('is repeated after the whole backoff, even if the record before it is the last stored one', async () => {
    const asked: number[] = [];
    const pipelineUnder = (time: SimulatedTime) =>
      definePipeline({
        name: 'unheard',
        phases: [
          phase('draft', {
            tasks: [task('write', { run: () => 'x' })],
            review: {
              by() {
                asked.push(time.clock.now());
                throw new Error('away');
              },
              maxReviewErrors: 2,
            },
          }),
        ],
      });
    const store = memoryStore();
    const first = simulatedTime();
    await drive(startRun(pipelineUnder(first), { store, runId: 'r', clock: first.clock }), first);
    expect(asked.splice(0)).toEqual([0, 1000, 3000]);
    const decided = (await readRun(store, 'r')).filter(({ event }) => event.type === 'review.decided');
    expect(decided[1]?.time).toBe(1000);
    await forkRun(store, 'r', { at: decided[1]?.seq ?? 0, runId: 'f' });
    const second = simulatedTime();
    await second.pass(1000);
    await drive(await resumeRun(store, 'f', pipelineUnder(second), { clock: second.clock }), second);
    expect(asked).toEqual([3000]);
  });
});

describe('the idempotency key', () => {
  it('differs in each attempt, even if a phase starts afresh from inputs that it has sent back', async () => {
    const keys: string[] = [];
    const note = ({ idempotencyKey }: { readonly idempotencyKey: string }) => keys.push(idempotencyKey);
    const pipeline = definePipeline({
      name: 'back',
      phases: [
        phase('a', { tasks: [task('t', { run: note })], review: () => 'APPROVE' }),
        phase('b', {
          after: ['a'],
          tasks: [task('t', { run: note })],
          review: ({ inputs }) => (inputs['a']?.['t'] === 1 ? retryPredecessor('a', 'not the first') : approve()),
        }),
      ],
    });
    const store = memoryStore();
    expect((await startRun(pipeline, { store, runId: 'r' }).result).status).toBe('completed');
    expect(keys).toEqual(['r/a/0/0/task/t', 'r/b/0/0/task/t', 'r/a/1/1/task/t', 'r/b/0.1/0/task/t']);
  });
});

describe('a message to a run', () => {
  it('cancels it once, and not again after a retry', async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const run = startRun(asking(calls), { store, runId: 'r' });
    await said(run, 'phase.escalated');
    await store.post({ runId: 'r', kind: 'cancel', body: 'stop it', by: 'somebody', time: Date.now() });
    expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'stop it' });
    const { store: ear, asked } = overheard(store);
    const again = await retryRun(ear, 'r', asking(calls));
    await said(again, 'phase.escalated');
    await asked(2);
    await again.decide('draft', approve());
    expect((await again.result).status).toBe('completed');
  });
});

describe('a fork', () => {
  it('stays marked as a fork when it is resumed', async () => {
    const store = memoryStore();
    await (
      await ended(startRun(asking(), { store, runId: 'r' }))
    ).result;
    await forkRun(store, 'r', { at: { phase: 'print' }, runId: 'f' });
    expect(await store.run('f')).toMatchObject({ forkOf: 'r' });
    const run = await resumeRun(store, 'f', asking());
    expect((await run.result).status).toBe('completed');
    expect(await store.run('f')).toMatchObject({ forkOf: 'r', status: 'completed' });
  });
});

describe('limits.deadlineMs', () => {
  /** A pipeline with a deadline of half an hour, and a question to a person. */
  const timed = definePipeline({
    name: 'timed',
    limits: { deadlineMs: 1_800_000 },
    phases: [phase('draft', { tasks: [task('write', { run: () => 'x' })], review: () => 'ESCALATE: see it' })],
  });
  const HOUR = 3_600_000;

  it('of a fork starts at its creation, not at the start of the original', async () => {
    const store = memoryStore();
    const run = startRun(timed, { store, runId: 'r', clock: simulatedTime(Date.now() - HOUR).clock });
    await said(run, 'phase.escalated');
    run.suspend();
    await run.result;
    const { seq = 0 } = (await store.run('r')) ?? {};
    await forkRun(store, 'r', { at: seq, runId: 'f' });
    const made = (await store.run('f'))?.startedAt ?? 0;
    // After a resume, the fork has the rest of the time since its creation.
    const first = simulatedTime(made + 1_000_000);
    const fork = await resumeRun(store, 'f', timed, { clock: first.clock });
    await first.pass(700_000);
    fork.suspend();
    expect((await fork.result).status).toBe('suspended');
    const second = simulatedTime(made + 1_700_000);
    const later = await resumeRun(store, 'f', timed, { clock: second.clock });
    await second.pass(99_000);
    expect(later.snapshot().status).toBe('running');
    await second.pass(2000);
    expect(await later.result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
    // The original run has no time left.
    const own = simulatedTime(made);
    const old = await resumeRun(store, 'r', timed, { clock: own.clock });
    await own.pass(1);
    expect(await old.result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
  });

  it('of a run that is no fork starts with its first record, although it is listed with a later start', async () => {
    const [from, store] = [memoryStore(), memoryStore()];
    const run = startRun(timed, { store: from, runId: 'r', clock: simulatedTime(HOUR).clock });
    await said(run, 'phase.escalated');
    run.suspend();
    await run.result;
    const listed = await from.run('r');
    if (!listed) throw new Error('There is no run.');
    const [records, items] = [await from.read('r'), await from.inbox({ runId: 'r' })];
    await store.append({ runId: 'r', records, info: { ...listed, startedAt: 2 * HOUR }, items, artifacts: [] });
    const later = simulatedTime(2 * HOUR);
    const resumed = await resumeRun(store, 'r', timed, { clock: later.clock });
    await later.pass(1);
    expect(resumed.snapshot().status).toBe('exhausted');
    expect(await resumed.result).toMatchObject({ limit: 'deadlineMs' });
  });

  it('of a fork fires once, even for a clock before its creation', async () => {
    const store = memoryStore();
    const before = simulatedTime(0);
    const run = startRun(timed, { store, runId: 'r', clock: before.clock });
    await said(run, 'phase.escalated');
    run.suspend();
    await run.result;
    await forkRun(store, 'r', { at: 1, runId: 'f' });
    const fork = await resumeRun(store, 'f', timed, { clock: before.clock });
    await before.pass(1_800_001);
    expect(await fork.result).toMatchObject({ status: 'exhausted', limit: 'deadlineMs' });
  });
});

describe('forkRun()', () => {
  it.each([
    ['memory', () => memoryStore()],
    ['SQLite', () => sqliteStore(join(mkdtempSync(join(tmpdir(), 'phasegate-')), 'runs.db'))],
  ])('sorts the run by its creation, not by the start of the original: %s', async (_, open) => {
    const store = open();
    const time = simulatedTime();
    for (const runId of ['a', 'b', 'c']) {
      const run = await ended(startRun(asking(), { store, runId, clock: time.clock }));
      await run.result;
      await time.pass(1000);
    }
    const before = Date.now();
    await forkRun(store, 'b', { at: { phase: 'print' }, runId: 'f' });
    expect((await store.runs()).map(({ runId }) => runId)).toEqual(['f', 'c', 'b', 'a']);
    const fork = await store.run('f');
    expect(fork?.startedAt).toBeGreaterThanOrEqual(before);
    // Its records are older than the run itself. Cleanup by age removes another run.
    expect(fork?.updatedAt).toBe(fork?.startedAt);
    expect((await store.runs({ updatedBefore: before - 1 })).map(({ runId }) => runId)).toEqual(['c', 'b', 'a']);
    // Repeated resumes do not change that.
    await (
      await resumeRun(store, 'f', asking())
    ).result;
    expect((await store.run('f'))?.startedAt).toBe(fork?.startedAt);
    expect((await store.runs())[0]?.runId).toBe('f');
    await store.close();
  });

  it('replaces a decision of a person', async () => {
    const store = memoryStore();
    await (
      await ended(startRun(asking(), { store, runId: 'r' }))
    ).result;
    const records = await readRun(store, 'r');
    const at = records.find(({ event }) => event.type === 'review.decided' && event.by === 'person')?.seq ?? 0;
    // Print is a later phase, so waiting for it would never end.
    const decision = retryPredecessor('print', 'set it anew');
    await expect(forkRun(store, 'r', { at, decision })).rejects.toMatchObject({ code: 'DECISION_TARGET_INVALID' });
    await forkRun(store, 'r', { at, decision: reject('no'), runId: 'f' });
    expect((await (await resumeRun(store, 'f', asking())).result).phases['draft']).toMatchObject({
      status: 'rejected',
      reason: 'no',
    });
  });

  it('makes a run that can be resumed at every record, except within the end of a run', async () => {
    const store = memoryStore();
    const run = startRun(asking(), { store, runId: 'r' });
    await said(run, 'phase.escalated');
    run.cancel('enough');
    await run.result;
    const records = await readRun(store, 'r');
    const end = records.findIndex(({ event }) => event.type === 'phase.cancelled');
    expect(records.slice(end).map(({ event }) => event.type)).toEqual([
      'phase.cancelled',
      'phase.skipped',
      'run.ended',
    ]);
    for (let at = 1; at <= end; at++) {
      await forkRun(store, 'r', { at, runId: `f${at}` });
      const { result } = await ended(await resumeRun(store, `f${at}`, asking()));
      expect((await result).status).toBe('completed');
    }
    const problem = { code: 'FORK_INVALID', hint: `The records of its end begin there: fork it at record ${end}.` };
    for (const at of [end + 1, end + 2, end + 3])
      await expect(forkRun(store, 'r', { at })).rejects.toMatchObject(problem);
    expect(end + 3).toBe(records.length);
    // The same holds after a retry.
    const again = await retryRun(store, 'r', asking());
    await said(again, 'phase.escalated');
    again.suspend();
    await again.result;
    const reopened = (await readRun(store, 'r')).find(({ event }) => event.type === 'run.reopened')?.seq ?? 0;
    expect(reopened).toBeGreaterThan(records.length);
    for (let at = records.length; at < reopened; at++)
      await expect(forkRun(store, 'r', { at })).rejects.toMatchObject(problem);
    await forkRun(store, 'r', { at: reopened, runId: 'reopened' });
    expect(await store.run('reopened')).toMatchObject({ status: 'running' });
  });

  it('starts phases that a commit frees in queue order, even if the records end between them', async () => {
    const store = memoryStore();
    const pipeline = sendingBack();
    await startRun(pipeline, { store, runId: 'r' }).result;
    const records = await readRun(store, 'r');
    // The phase that waits precedes those that have not started in the run state.
    const starts = records.flatMap(({ event, seq }) =>
      event.type === 'phase.started' ? [{ by: event.phase, seq }] : [],
    );
    expect(starts.map(({ by }) => by)).toEqual(['a', 'b', 'e', 'a', 'c', 'd', 'e']);
    await forkRun(store, 'r', { at: starts[4]?.seq ?? 0, runId: 'f' });
    expect((await (await resumeRun(store, 'f', pipeline)).result).status).toBe('completed');
    const journal = await readRun(store, 'f');
    expect(replay({ run: 'f', plan: pipeline.plan }, journal).unrecorded).toEqual([]);
  });

  it('lists the phases if the named one is unknown', async () => {
    const store = memoryStore();
    const named = (count: number) => Array.from({ length: count }, (_, nth) => `p${nth}`);
    const wide = definePipeline({
      name: 'wide',
      phases: named(12).map((name, nth) =>
        phase(name, {
          after: nth === 0 ? [] : ['p0'],
          tasks: [task('t', { run: () => 1 })],
          review: () => reject('no'),
        }),
      ),
    });
    await startRun(wide, { store, runId: 'r' }).result;
    await expect(forkRun(store, 'r', { at: { phase: 'nope' } })).rejects.toMatchObject({
      code: 'FORK_INVALID',
      hint: `Its phases are ${named(10).join(', ')}, and 2 more.`,
    });
    await expect(forkRun(store, 'r', { at: { phase: 'p-1' } })).rejects.toMatchObject({
      hint: `Did you mean "p1"? Its phases are ${named(10).join(', ')}, and 2 more.`,
    });
    await expect(forkRun(store, 'r', { at: { phase: 'p1' } })).rejects.toMatchObject({
      code: 'FORK_INVALID',
      hint: 'That phase has not started in this run.',
    });
  });
});

describe('a store that fails when a run releases its lease', () => {
  it('does not hold back the result', async () => {
    const store = memoryStore();
    const sour: RunStore = {
      ...store,
      release() {
        throw new Error('no room to forget');
      },
    };
    const run = startRun(failing({ repaired: true }), { store: sour, runId: 'r' });
    expect((await run.result).status).toBe('completed');
  });

  it('does not hide the reason that a run cannot be resumed', async () => {
    const store = memoryStore();
    await (
      await ended(startRun(asking(), { store, runId: 'r' }))
    ).result;
    const sour: RunStore = {
      ...store,
      release() {
        throw new Error('no room to forget');
      },
    };
    await expect(resumeRun(sour, 'r', asking())).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });
});

describe('a clock that was set back while a run had no process', () => {
  it('does not make a task wait longer than planned', () => {
    const progress = createProgress(1_000_000);
    const error = { code: 'TASK_FAILED', name: 'Error', message: 'broken' };
    const at = { phase: 'a', generation: 0, attempt: 0, task: 't' };
    progress.note({ type: 'task.retrying', ...at, reviewer: false, try: 1, error, delayMs: 50 }, 1_000_000);
    expect(progress.soFar(1_000_020).waitMs).toEqual({ t: 30 });
    expect(progress.soFar(5).waitMs).toEqual({ t: 50 });
    expect(progress.soFar(2_000_000).waitMs).toEqual({ t: 0 });
  });
});

describe('resumeRun() with { allowChanged: true }', () => {
  /** Returns the pipeline of `asking` with another task in a phase. */
  const changed = (phaseName: string, name: string) =>
    definePipeline({
      name: 'asking',
      phases: ['draft', 'print'].map((one) =>
        phase(one, {
          after: one === 'print' ? ['draft'] : [],
          tasks: [task(one === phaseName ? name : 'write', { run: () => one })],
          ...(one === 'draft' && { review: () => 'ESCALATE: a person has to see it' }),
        }),
      ),
    });

  async function left(store: RunStore): Promise<void> {
    const run = startRun(asking(), { store, runId: 'r' });
    await said(run, 'phase.escalated');
    run.suspend();
    await run.result;
  }

  it('assigns the new definition to a run, which continues with it after every stop', async () => {
    const store = memoryStore();
    await left(store);
    const press = changed('print', 'press');
    const first = await resumeRun(store, 'r', press, { allowChanged: true });
    first.suspend();
    await first.result;
    await expect(resumeRun(store, 'r', asking())).rejects.toMatchObject({ code: 'RUN_CHANGED' });
    const second = await resumeRun(store, 'r', press);
    await second.decide('draft', approve());
    expect((await second.result).outputs).toMatchObject({ print: { press: 'print' } });
  });

  it('refuses a definition without a task that has started', async () => {
    const store = memoryStore();
    await left(store);
    const before = await readRun(store, 'r');
    const error: unknown = await resumeRun(store, 'r', changed('draft', 'scribble'), { allowChanged: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchInlineSnapshot(`
      [PhasegateError: Cannot resume run r with another definition as a phase that has begun differs:
        phase "draft": task "write" is gone
        phase "draft": task "scribble" is new
      Leave phases that have begun unchanged, or fork the run before that phase with forkRun().
      Docs: docs/errors.md#JOURNAL_DIVERGED]
    `);
    expect(await readRun(store, 'r')).toEqual(before);
    expect(await store.run('r')).toMatchObject({ lease: undefined });
  });
});

describe('resumeAll()', () => {
  it('resumes all runs that it can, and lists the others', async () => {
    const store = memoryStore();
    for (const runId of ['mine', 'other', 'taken', 'strange', 'done']) {
      const run = startRun(asking(), { store, runId });
      await said(run, 'phase.escalated');
      if (runId === 'done') run.cancel();
      else run.suspend();
      await run.result;
    }
    await store.acquire('taken', 'another', 60_000);
    await diverge(store, 'strange');
    const { runs, failed } = await resumeAll(store, [asking()]);
    expect(runs.map(({ id }) => id).toSorted()).toEqual(['mine', 'other']);
    expect(failed).toMatchObject([{ runId: 'strange', error: { code: 'JOURNAL_DIVERGED' } }]);
    expect(await store.run('strange')).toMatchObject({ lease: undefined });
    for (const run of runs) {
      await run.decide('draft', approve());
      expect((await run.result).status).toBe('completed');
    }
  });
});

// --- internal ---

/** Drives a run of `asking` to its end. */
async function ended(run: Run<unknown>): Promise<Run<unknown>> {
  await said(run, 'phase.escalated');
  await run.decide('draft', approve());
  await run.result;
  return run;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Wraps a store, and resolves once messages were read that number of times. */
function overheard(store: RunStore): { readonly store: RunStore; readonly asked: (times: number) => Promise<void> } {
  let asked = 0;
  let tell: () => void = () => undefined;
  return {
    store: {
      ...store,
      messages(runId, after) {
        asked += 1;
        tell();
        return store.messages(runId, after);
      },
    },
    asked: (times) =>
      new Promise((resolve) => {
        tell = () => asked >= times && resolve();
      }),
  };
}

/** Appends a record that the pipeline of the run would not produce. */
async function diverge(store: RunStore, runId: string): Promise<void> {
  const info = await store.run(runId);
  if (!info) throw new Error('no such run');
  const { lease: _, ...rest } = info;
  const seq = rest.seq + 1;
  const event = { type: 'phase.stale', phase: 'print', because: 'nothing' } as const;
  await store.append({
    runId,
    records: [{ runId, seq, time: rest.updatedAt, event }],
    info: { ...rest, seq },
    items: [],
    artifacts: [],
  });
}
