import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  formatDecision,
  parseDecision,
  phase,
  policies,
  reject,
  retry,
  retryPredecessor,
  startRun,
  task,
  type Decision,
} from '../../src/index.ts';
import { casesOf, runnable, type Case } from './case.ts';

interface ConstructCase extends Case {
  /** The constructor and its arguments. */
  readonly call: readonly [keyof typeof constructors, ...string[]];
  readonly gives?: Decision;
  /** Two calls give two objects. */
  readonly distinct?: true;
  /** The code of the error. */
  readonly refused?: string;
}

interface ParseCase extends Case {
  readonly text: string | null;
  readonly gives: ReturnType<typeof parseDecision>;
}

interface FormatCase extends Case {
  readonly decision: Decision;
  readonly gives: string;
}

const constructors = { approve, retry, retryPredecessor, reject };

describe('conformance: construct', () => {
  it.each(runnable(casesOf('decisions') as readonly ConstructCase[], 'construct'))(
    '%s',
    (_, { call, gives, distinct, refused }) => {
      const [name, ...given] = call;
      const make = () => Reflect.apply(constructors[name], undefined, given) as Decision;
      if (refused !== undefined) {
        expect(make).toThrow(expect.objectContaining({ code: refused }));
        return;
      }
      expect(make()).toStrictEqual(gives);
      if (distinct) expect(make()).not.toBe(make());
    },
  );
});

describe('conformance: parse', () => {
  const cases = runnable(casesOf('decisions') as readonly ParseCase[], 'parse');

  it.each(cases)('%s', (_, { text, gives }) => {
    expect(parseDecision(text)).toStrictEqual(gives);
  });

  it.each(cases.filter(([, { gives }]) => gives.type === 'unrecognised'))('%s; the gate approves', async (_, one) => {
    const draft = task('draft', { run: () => 'text' });
    const phases = [phase('a', { tasks: [draft], review: () => one.text as string })];
    const pipeline = definePipeline({ name: 'p', phases, policy: policies.ensemble });
    const { phases: ended, warnings } = await startRun(pipeline).result;
    expect(ended['a']).toMatchObject({ status: 'approved', because: 'unrecognised', attempts: 1 });
    expect(warnings).toHaveLength(1);
  });
});

describe('conformance: format', () => {
  it.each(runnable(casesOf('decisions') as readonly FormatCase[], 'format'))('%s', (_, { decision, gives }) => {
    expect(formatDecision(decision)).toBe(gives);
  });
});

describe('conformance: roundTrip', () => {
  it.each(runnable(casesOf('decisions') as readonly FormatCase[], 'roundTrip'))('%s', (_, { decision }) => {
    expect(parseDecision(formatDecision(decision))).toStrictEqual(decision);
  });
});
