import { describe, expect, it } from 'vitest';
import { needsRework, retry, retryPredecessor, type RunResult } from '../src/index.ts';
import { endReason } from '../src/runtime/run-unsuccessful-error.ts';
import { fake, play, type FakeOptions } from './rig.ts';

/** Plays phase `a` alone, whose gate gives one answer again and again. @returns The end of `a`. */
async function endOf(verdict: unknown, options: FakeOptions) {
  const verdicts = Array.from({ length: 5 }, () => verdict);
  return partsOf((await play([fake('a', { loopAfter: 'unlimited', verdicts, ...options })])).result, 'a');
}

function partsOf(result: RunResult, name: string) {
  const { exhausted, reason, error } = result.phases[name] ?? {};
  const warnings = result.warnings.map((one) => one.message);
  return { exhausted, reason, error, end: endReason(result), warnings };
}

describe('the reason of a rejection', () => {
  it.each([
    [0, 'it has no retries', '1 attempt'],
    [1, 'its only retry is spent', '2 attempts'],
    [2, 'its 2 retries are spent', '3 attempts'],
  ])('names the spent budget: maxRetries %i', async (maxRetries, spent, attempts) => {
    expect(await endOf('RETRY: still bad', { maxRetries })).toMatchObject({
      exhausted: true,
      reason: `${spent}: still bad`,
      end: `phase "a" was rejected after ${attempts}: ${spent}: still bad`,
    });
  });

  it('is the budget alone if the last feedback is empty', async () => {
    expect(await endOf(retry(''), { maxRetries: 1 })).toMatchObject({
      reason: 'its only retry is spent',
      end: 'phase "a" was rejected after 2 attempts: its only retry is spent',
    });
  });

  it('names a loop', async () => {
    expect(await endOf('RETRY: still bad', { maxRetries: 4, loopAfter: 2 })).toMatchObject({
      exhausted: true,
      reason: 'it goes round in a loop: still bad',
    });
  });

  it('names the spent budget for a predecessor', async () => {
    const b = fake('b', {
      after: ['a'],
      loopAfter: 'unlimited',
      maxPredecessorRetries: 1,
      verdicts: [retryPredecessor('a', 'one'), retryPredecessor('a', 'two')],
    });
    expect(partsOf((await play([fake('a'), b])).result, 'b')).toMatchObject({
      exhausted: true,
      reason: 'its only retry of a predecessor is spent: a: two',
    });
  });

  it('is that of the reviewer if it rejects, without a colon if there is none', async () => {
    const off = await endOf('REJECT: off topic', {});
    expect(off).toMatchObject({ exhausted: false, reason: 'off topic', end: 'phase "a" was rejected: off topic' });
    expect(await endOf('REJECT', {})).toMatchObject({ exhausted: false, end: 'phase "a" was rejected' });
  });

  it('is none if the attempt is accepted', async () => {
    const accepted = await endOf(retry(''), { maxRetries: 2, onExhausted: 'accept' });
    expect(accepted).toMatchObject({ exhausted: true, reason: null, end: null });
    expect(accepted.warnings).toEqual(["Approved without its reviewer's consent, as its 2 retries are spent"]);
  });
});

describe('a demand of a task', () => {
  const demand = async (target: string, options: FakeOptions = { verdicts: [] }) => {
    const b = fake('b', {
      after: ['a'],
      outputs: Array.from({ length: 4 }, () => needsRework(target, 'no steps')),
      ...options,
    });
    const { result } = await play([fake('a'), b, fake('later', { after: ['b'] })]);
    const { error } = partsOf(result, 'b');
    expect(error?.code).toBe('REWORK_IMPOSSIBLE');
    return error?.message.split('\nDocs: ')[0];
  };

  it('says which phases the gate may send back', async () => {
    expect(await demand('aa')).toBe(
      'Cannot continue phase "b" as it needs changes in "aa", which its gate may not send back: no steps\n' +
        'Did you mean "a"? The gate may send back "a". Its option `rewindTo` allows other phases upstream.',
    );
  });

  it.each(['later', '__proto__', 'constructor', 'toString'])('does so for %j', async (name) => {
    expect(await demand(name)).toBe(
      `Cannot continue phase "b" as it needs changes in "${name}", which its gate may not send back: no steps\n` +
        'The gate may send back "a". Its option `rewindTo` allows other phases upstream.',
    );
  });

  it('cannot be about its own phase', async () => {
    expect(await demand('b')).toBe(
      'Cannot continue phase "b" as it needs changes in "b", which its gate may not send back: no steps\n' +
        'The gate may send back "a". To try its own task again, throw another error, and give that task a retry policy.',
    );
  });

  it('needs a gate', async () => {
    expect(await demand('a', {})).toBe(
      'Cannot continue phase "b" as it needs changes in "a", and has no gate that may send it back: no steps\n' +
        'Give phase "b" a gate: its `review` sends phases back, also for a task.',
    );
  });

  it('names the spent budget', async () => {
    expect(await demand('a', { verdicts: [], maxPredecessorRetries: 1 })).toBe(
      'Cannot continue phase "b" as it needs changes in "a", but its only retry of a predecessor is spent: no steps\n' +
        'Raise maxPredecessorRetries, or correct that phase.',
    );
  });
});
