/** Limits of money, tokens and time of runs by steps: their decisions are those of a run in one process. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { definePipeline, human, phase, task, type Estimate, type Limits, type Pipeline } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';
import { expectSame, typesOf } from './expect-same.ts';

interface Spending {
  readonly limits: Limits;
  readonly estimate?: Estimate;
  /** Usage that each task reports. */
  readonly used?: { readonly tokens?: number; readonly costUsd?: number };
  readonly onLimit?: 'stop' | 'escalate';
}

/** Three phases in a chain, each with two tasks that use something, and a reviewer that uses as much. */
function chain({ limits, estimate = {}, used = {}, onLimit = 'stop' }: Spending): Pipeline {
  const spend = (name: string) =>
    task(name, {
      estimate,
      timeout: 0,
      async run({ report }) {
        await setImmediate();
        report(used);
        return name;
      },
    });
  const names = ['a', 'b', 'c'];
  return definePipeline({
    name: 'chain',
    limits,
    policy: { onLimit },
    phases: names.map((name, at) =>
      phase(name, {
        after: names.slice(Math.max(0, at - 1), at),
        mode: 'sequential',
        tasks: [spend('one'), spend('two')],
        review: {
          by: task('model', {
            estimate,
            run({ report, attempt }) {
              report(used);
              return attempt === 0 ? 'RETRY: Again.' : 'APPROVE';
            },
          }),
        },
      }),
    ),
  });
}

/** Lifts a limit, or refuses to. */
const replying = (decision: string) => (): ((item: InboxItem) => Reply) => () => ({ type: 'decide', decision });

describe('limits of a run by steps', () => {
  it.each([
    ['tokens, with estimates', { limits: { tokens: 90 }, estimate: { tokens: 10 }, used: { tokens: 10 } }],
    ['tokens, without estimates', { limits: { tokens: 95 }, used: { tokens: 10 } }],
    ['tokens that an estimate exceeds', { limits: { tokens: 95 }, estimate: { tokens: 30 }, used: { tokens: 10 } }],
    ['tokens that nobody reports', { limits: { tokens: 95 }, estimate: { tokens: 10 } }],
    ['dollars', { limits: { costUsd: 1 }, estimate: { costUsd: 0.3 }, used: { costUsd: 0.1 } }],
    ['more than is used', { limits: { costUsd: 50, tokens: 1000 }, used: { tokens: 1, costUsd: 0.5 } }],
  ] as const)('of %s stop it at the same try', async (_, spending) => {
    const records = await expectSame(() => chain(spending));
    const isEnough = 'costUsd' in spending.limits && spending.limits.costUsd === 50;
    expect(records.at(-1)?.event).toMatchObject({ status: isEnough ? 'completed' : 'exhausted' });
  });

  it.each([
    ['lifted', 'APPROVE', 'completed'],
    ['refused', 'REJECT: No more.', 'exhausted'],
  ] as const)('hold it until a person has decided: %s', async (_, decision, status) => {
    const make = () =>
      chain({ limits: { tokens: 45 }, estimate: { tokens: 10 }, used: { tokens: 10 }, onLimit: 'escalate' });
    const records = await expectSame(make, { replies: replying(decision) });
    expect(typesOf(records)).toContain('limit.reached');
    expect(records.at(-1)?.event).toMatchObject({ status });
  });

  it('let tries wait for each other if there is room for one, in one phase and in two', async () => {
    const atWork = new Set<string>();
    let most = 0;
    const spend = (name: string) =>
      task(name, {
        estimate: { tokens: 10 },
        timeout: 0,
        async run({ report }) {
          atWork.add(name);
          most = Math.max(most, atWork.size);
          for (let turn = 0; turn < 3; turn++) await setImmediate();
          atWork.delete(name);
          report({ tokens: 2 });
        },
      });
    const make = () =>
      definePipeline({
        name: 'room',
        limits: { tokens: 14 },
        phases: [phase('a', { tasks: [spend('one'), spend('two')] }), phase('b', { tasks: [spend('three')] })],
      });
    const records = await expectSame(make);
    expect(most).toBe(1);
    expect(records.at(-1)?.event).toMatchObject({ status: 'completed' });
  });

  it('of time count work, and no time in which a person is awaited', async () => {
    const work = (name: string) => task(name, { run: ({ wait }) => wait(600).then(() => name) });
    const owner = task('owner', { run: human({ question: 'Good?', expireAfterMs: 60_000, onExpiry: 'reject' }) });
    const make = (asks: boolean) => () =>
      definePipeline({
        name: 'time',
        limits: { durationMs: 1500 },
        phases: [
          phase('a', { tasks: [work('one')] }),
          phase('b', { after: ['a'], tasks: [work('two')], ...(asks && { review: { by: owner } }) }),
          phase('c', { after: ['b'], tasks: [work('three')] }),
        ],
      });
    const spent = await expectSame(make(false));
    expect(spent.at(-1)?.event).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
    const rejected = await expectSame(make(true));
    expect(rejected.at(-1)?.event).toMatchObject({ status: 'rejected' });
  });

  it('of time refuse a try that would take longer', async () => {
    const make = () =>
      definePipeline({
        name: 'late',
        limits: { durationMs: 1500 },
        phases: [
          phase('a', { tasks: [task('one', { run: ({ wait }) => wait(800).then(() => 1) })] }),
          phase('b', { after: ['a'], tasks: [task('two', { estimate: { durationMs: 900 }, run: () => 2 })] }),
        ],
      });
    const records = await expectSame(make);
    expect(records.at(-2)?.event.type === 'phase.skipped' || typesOf(records).includes('limit.reached')).toBe(true);
    expect(records.at(-1)?.event).toMatchObject({ status: 'exhausted', limit: 'durationMs' });
  });

  it('hold after workers were lost', async () => {
    const make = () => chain({ limits: { tokens: 95 }, estimate: { tokens: 10 }, used: { tokens: 10 } });
    const records = await expectSame(make, { isLost: (batch) => batch % 5 === 3 });
    expect(records.at(-1)?.event).toMatchObject({ status: 'exhausted' });
  });
});
