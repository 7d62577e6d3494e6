/** Stores that tell of changes: callers look at once then, and more seldom otherwise. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorker, definePipeline, memoryStore, phase, submitRun, task } from '../src/index.ts';
import { pollMessages } from '../src/runtime/records/message-poll.ts';
import type { RunStore } from '../src/store.ts';
import { batchOf } from '../src/testing/store/trial.ts';

/** A store that tells of changes on demand, and counts its calls. */
function tellingStore(base: RunStore = memoryStore()) {
  const told = new Set<() => void>();
  const state = { isLive: true, looks: 0, polls: 0 };
  const store: RunStore = {
    ...base,
    ready(...given) {
      state.looks += 1;
      return base.ready(...given);
    },
    lastMessage() {
      state.polls += 1;
      return base.lastMessage?.() ?? 0;
    },
    watch(onChange) {
      told.add(onChange);
      return { isLive: () => state.isLive, stop: () => told.delete(onChange) };
    },
  };
  const tell = () => {
    for (const call of told) call();
  };
  return { store, state, told, tell };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a worker', () => {
  const step = task('step', { run: () => 1 });
  const pipeline = definePipeline({ name: 'essay', phases: [phase('draft', { tasks: [step] })] });

  it('looks once in a second while the store tells of changes, and at once if it does', async () => {
    const { store, state, told, tell } = tellingStore();
    const worker = createWorker(store, [pipeline]);
    await pass(100);
    expect(told.size).toBe(1);
    const before = state.looks;
    await pass(10_000);
    expect(state.looks - before).toBe(10);
    tell();
    await pass(0);
    expect(state.looks - before).toBe(11);
    state.isLive = false;
    await pass(1000);
    const slow = state.looks;
    await pass(9000);
    expect(state.looks - slow).toBe(40);
    await worker.stop();
    expect(told.size).toBe(0);
    tell();
    await pass(10_000);
    expect(state.looks - slow).toBe(40);
  });

  it('looks again after a change that comes while it looks', async () => {
    const base = memoryStore();
    const answers: (() => void)[] = [];
    const { store, tell } = tellingStore({
      ...base,
      async ready(...given) {
        const ready = base.ready(...given);
        await new Promise<void>((resolve) => answers.push(resolve));
        return ready;
      },
    });
    const done: string[] = [];
    const worker = createWorker(store, [pipeline], { onDone: ({ id }) => done.push(id) });
    await pass(0);
    expect(answers).toHaveLength(1);
    // The list has been read, and lacks it.
    await submitRun(store, pipeline, { runId: 'late' });
    tell();
    answers[0]?.();
    await pass(0);
    expect(answers).toHaveLength(2);
    const stopped = worker.stop();
    answers[1]?.();
    await stopped;
  });
});

describe('the polling of messages', () => {
  it('asks once in a second while the store tells of changes, and at once if it does', async () => {
    const base = memoryStore();
    await base.append(batchOf('r', 1));
    const { store, state, told, tell } = tellingStore(base);
    const heard = vi.fn(async () => undefined);
    const poll = pollMessages(store, heard);
    await pass(250);
    expect([state.polls, told.size]).toEqual([1, 1]);
    await pass(10_000);
    expect(state.polls).toBe(11);
    const before = heard.mock.calls.length;
    await base.post({ runId: 'r', kind: 'cancel', body: 'enough', by: '', time: 1 });
    tell();
    await pass(0);
    expect(heard).toHaveBeenCalledTimes(before + 1);
    state.isLive = false;
    const slow = state.polls;
    await pass(10_000);
    expect(state.polls - slow).toBe(40);
    poll.stop();
    expect(told.size).toBe(0);
  });

  it('asks again for a run that reads while another message comes', async () => {
    const base = memoryStore();
    await base.append(batchOf('r', 1));
    const { store, tell } = tellingStore(base);
    const reads: (() => void)[] = [];
    const poll = pollMessages(store, () => new Promise((resolve) => reads.push(resolve)));
    const post = () => base.post({ runId: 'r', kind: 'cancel', body: 'enough', by: '', time: 1 });
    await pass(250);
    expect(reads).toHaveLength(1);
    await post();
    tell();
    await pass(0);
    expect(reads).toHaveLength(1);
    reads[0]?.();
    await pass(0);
    expect(reads).toHaveLength(2);
    poll.stop();
  });
});
