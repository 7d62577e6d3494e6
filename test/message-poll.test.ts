import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../src/index.ts';
import { pollMessages } from '../src/runtime/records/message-poll.ts';
import type { RunStore } from '../src/store.ts';
import { batchOf } from '../src/testing/store/trial.ts';

/** A store with one run, and counts of what is asked of it. */
async function countingStore() {
  const store = memoryStore();
  await store.append(batchOf('r', 1));
  const asked = { places: 0 };
  const counting: RunStore = {
    ...store,
    lastMessage() {
      asked.places += 1;
      return store.lastMessage?.() ?? 0;
    },
  };
  const post = () => store.post({ runId: 'r', kind: 'cancel', body: 'enough', by: '', time: 1 });
  return { store: counting, asked, post };
}

const poll = () => vi.advanceTimersByTimeAsync(250);

describe('the polling of one store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks once for all runs, and reads messages only if there are new ones', async () => {
    const { store, asked, post } = await countingStore();
    const heard = Array.from({ length: 100 }, () => ({ times: 0 }));
    const polls = heard.map((one) =>
      pollMessages(store, async () => {
        one.times += 1;
      }),
    );
    expect(vi.getTimerCount()).toBe(1);
    // A message may be older than the run in this process.
    await poll();
    expect(asked.places).toBe(1);
    expect(new Set(heard.map(({ times }) => times))).toEqual(new Set([1]));
    await poll();
    expect(asked.places).toBe(2);
    expect(new Set(heard.map(({ times }) => times))).toEqual(new Set([1]));
    await post();
    await poll();
    expect(new Set(heard.map(({ times }) => times))).toEqual(new Set([2]));
    for (const one of polls) one.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reads again after a failure, and asks a busy run only once', async () => {
    const { store } = await countingStore();
    const outcomes: ((error?: Error) => void)[] = [];
    const listen = () =>
      new Promise<void>((resolve, reject) => outcomes.push((error) => (error ? reject(error) : resolve())));
    const one = pollMessages(store, listen);
    await poll();
    await poll();
    expect(outcomes).toHaveLength(1);
    outcomes[0]?.(new Error('no disk'));
    await poll();
    expect(outcomes).toHaveLength(2);
    outcomes[1]?.();
    await poll();
    expect(outcomes).toHaveLength(2);
    one.stop();
  });

  it('reads all messages now and then, in case the store was wrong about the latest', async () => {
    const { store } = await countingStore();
    const listen = vi.fn(async () => undefined);
    const one = pollMessages({ ...store, lastMessage: () => 7 }, listen);
    for (let nth = 1; nth < 40; nth++) await poll();
    expect(listen).toHaveBeenCalledOnce();
    await poll();
    expect(listen).toHaveBeenCalledTimes(2);
    one.stop();
  });

  it('asks a slow store once at a time', async () => {
    const { store } = await countingStore();
    const answers: (() => void)[] = [];
    const slow: RunStore = { ...store, lastMessage: () => new Promise((resolve) => answers.push(() => resolve(0))) };
    const one = pollMessages(slow, async () => undefined);
    await poll();
    await poll();
    expect(answers).toHaveLength(1);
    answers[0]?.();
    await poll();
    expect(answers).toHaveLength(2);
    one.stop();
  });

  it('goes on after the store failed to say what is new', async () => {
    const { store } = await countingStore();
    const broken = { isBroken: true };
    const failing: RunStore = {
      ...store,
      lastMessage() {
        if (broken.isBroken) throw new Error('no disk');
        return 0;
      },
    };
    const listen = vi.fn(async () => undefined);
    const one = pollMessages(failing, listen);
    await poll();
    expect(listen).not.toHaveBeenCalled();
    broken.isBroken = false;
    await poll();
    expect(listen).toHaveBeenCalledOnce();
    one.stop();
  });

  it('reads every time if the store cannot say what is new', async () => {
    const plain: RunStore = Object.fromEntries(
      Object.entries(memoryStore()).filter(([name]) => name !== 'lastMessage'),
    ) as unknown as RunStore;
    const listen = vi.fn(async () => undefined);
    const one = pollMessages(plain, listen);
    await poll();
    await poll();
    expect(listen).toHaveBeenCalledTimes(2);
    one.stop();
  });

  it('keeps the process alive while a run needs it', async () => {
    const { store } = await countingStore();
    const timers: NodeJS.Timeout[] = [];
    const original = globalThis.setInterval;
    vi.spyOn(globalThis, 'setInterval').mockImplementation((...args: Parameters<typeof setInterval>) => {
      const timer = original(...args);
      timers.push(timer);
      return timer;
    });
    const [first, second] = [pollMessages(store, async () => undefined), pollMessages(store, async () => undefined)];
    const isHeld = () => timers[0]?.hasRef();
    expect(isHeld()).toBe(false);
    first.keepAlive(true);
    second.keepAlive(true);
    expect(isHeld()).toBe(true);
    first.keepAlive(false);
    expect(isHeld()).toBe(true);
    second.stop();
    expect(isHeld()).toBe(false);
    first.stop();
    vi.restoreAllMocks();
  });
});
