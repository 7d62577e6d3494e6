import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { needsRework, retryPredecessor, task, type TaskContext } from '../src/index.ts';
import { fake, held, play, trace, untilAborted, type PlayOptions } from './rig.ts';

describe('retryPredecessor', () => {
  it('runs the predecessor again, then the requester', async () => {
    // Rules 12, 15, 17.
    //  research ──▶ writing
    //      ▲───────────┘ once
    const research = fake('research', { verdicts: ['APPROVE', 'APPROVE'] });
    const writing = fake('writing', {
      after: ['research'],
      verdicts: ['RETRY_PREDECESSOR research: add numbers', 'APPROVE'],
    });

    expect(await trace([research, writing])).toEqual([
      'research started 0',
      'research approved v1',
      'writing started 0',
      'writing rewinding research: add numbers',
      'research started 1 g1: add numbers',
      'research approved v2',
      'writing started 0',
      'writing approved v1 from research@2',
      'run completed',
    ]);
    expect(research.prompts[1]).toMatch(/^## Revision Instructions \(Attempt 2\)[\s\S]*add numbers[\s\S]*research 1/u);
    expect(research.prompts[1]?.endsWith('do research')).toBe(true);
    expect(research.calls[1]?.revision).toEqual({
      attempt: 1,
      feedback: 'add numbers',
      history: [{ attempt: 0, from: 'writing', feedback: 'add numbers' }],
      previousOutput: 'research 1',
    });
    expect(writing.calls.map((call) => [call.attempt, call.revision, call.inputs['research']])).toEqual([
      [0, undefined, { work: 'research 1' }],
      [0, undefined, { work: 'research 2' }],
    ]);
  });

  it('resets the retries of the target, and of the requester', async () => {
    // Rules 15, 17: both start over with their retries; what is spent on a target stays spent.
    //  a ──▶ b
    //  ▲─────┘ twice
    const a = fake('a', { maxRetries: 1, verdicts: ['RETRY: a1', 'APPROVE', 'RETRY: a2', 'APPROVE', 'APPROVE'] });
    const b = fake('b', {
      after: ['a'],
      maxRetries: 1,
      maxPredecessorRetries: 2,
      onExhausted: 'accept',
      verdicts: [
        'RETRY: b1',
        'RETRY_PREDECESSOR a: one',
        'RETRY: b2',
        'RETRY_PREDECESSOR a: two',
        'RETRY: b3',
        'RETRY_PREDECESSOR a: three',
      ],
    });

    expect(await trace([a, b])).toEqual([
      'a started 0',
      'a retrying: a1',
      'a started 1: a1',
      'a approved v1',
      'b started 0',
      'b retrying: b1',
      'b started 1: b1',
      'b rewinding a: one',
      'a started 2 g1: one',
      'a retrying: a2',
      'a started 3 g1: a2',
      'a approved v2',
      'b started 0',
      'b retrying: b2',
      'b started 1: b2',
      'b rewinding a: two',
      'a started 4 g2: two',
      'a approved v3',
      'b started 0',
      'b retrying: b3',
      'b started 1: b3',
      'b warned EXHAUSTED',
      'b approved v1 (exhausted) from a@3',
      'run completed',
    ]);
    expect(a.calls[4]?.revision?.history.map((one) => `${one.attempt} ${one.from} ${one.feedback}`)).toEqual([
      '0 a a1',
      '1 b one',
      '2 a a2',
      '3 b two',
    ]);
  });

  it('runs every phase between target and requester again, from a fresh start', async () => {
    // Rules 10, 12, 13, 17.
    //  a ──▶ b ──▶ d      c is not between a and d, as it is no ancestor of d
    //  ├───────────▶ c
    //  ▲───────────┘ d sends a back
    const a = fake('a');
    const b = fake('b', { after: ['a'], verdicts: ['RETRY: twice', 'APPROVE', 'APPROVE'] });
    const c = fake('c', { after: ['a'] });
    const d = fake('d', {
      after: ['b'],
      rewindTo: 'ancestors',
      verdicts: ['RETRY_PREDECESSOR a: deeper', 'APPROVE'],
    });

    expect(await trace([a, b, c, d])).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'c approved v1 (unreviewed) from a@1',
      'b retrying: twice',
      'b started 1: twice',
      'b approved v1 from a@1',
      'd started 0',
      'd rewinding a: deeper',
      'b invalidated by a g1',
      'a started 1 g1: deeper',
      'a approved v2 (unreviewed)',
      'c stale by a',
      'b started 0 g1',
      'b approved v2 from a@2',
      'd started 0',
      'd approved v1 from b@2',
      'run completed',
    ]);
    expect(b.calls.at(-1)?.revision).toBeUndefined();
    expect(b.calls.at(-1)?.generation).toBe(1);
  });

  it('does not affect a running phase that is not between', async () => {
    // Rule 13.
    //  a ──▶ b ──▶ e ──▶ f     f sends b back
    //  └───▶ c                 c runs all the time, and is not between b and f
    const slow = held();
    const a = fake('a');
    const b = fake('b', { after: ['a'] });
    const c = fake('c', { after: ['a'], outputs: [slow.script] });
    const e = fake('e', { after: ['b'] });
    const f = fake('f', {
      after: ['e'],
      rewindTo: 'ancestors',
      verdicts: ['RETRY_PREDECESSOR b: again', 'APPROVE'],
    });

    expect(
      await trace([a, b, c, e, f], { when: { 'f approved v1 from e@2': () => slow.release('c at last') } }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'b approved v1 (unreviewed) from a@1',
      'e started 0',
      'e approved v1 (unreviewed) from b@1',
      'f started 0',
      'f rewinding b: again',
      'e invalidated by b g1',
      'b started 1 g1: again',
      'b approved v2 (unreviewed) from a@1',
      'e started 0 g1',
      'e approved v2 (unreviewed) from b@2',
      'f started 0',
      'f approved v1 from e@2',
      'c approved v1 (unreviewed) from a@1',
      'run completed',
    ]);
    expect(slow.signal()?.aborted).toBe(false);
  });

  it('aborts a phase between that runs again for another demand', async () => {
    // Rule 13: m is between a and both requesters; r1 sends a back while m, invalidated by r2, works again.
    //  a ──▶ m ──▶ r1
    //        └───▶ r2
    const a = fake('a');
    const m = fake('m', { after: ['a'], outputs: ['m 1', untilAborted] });
    const slow = held();
    const r1 = fake('r1', {
      after: ['m'],
      rewindTo: 'ancestors',
      verdicts: [slow.script, 'APPROVE'],
    });
    const r2 = fake('r2', {
      after: ['m'],
      rewindTo: 'ancestors',
      verdicts: ['RETRY_PREDECESSOR a: for r2', 'APPROVE'],
    });

    expect(
      await trace([a, m, r1, r2], {
        when: { 'm started 0 g1': () => slow.release('RETRY_PREDECESSOR a: for r1') },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'm started 0',
      'm approved v1 (unreviewed) from a@1',
      'r1 started 0',
      'r2 started 0',
      'r2 rewinding a: for r2',
      'm invalidated by a g1',
      'a started 1 g1: for r2',
      'a approved v2 (unreviewed)',
      'm started 0 g1',
      'r1 rewinding a: for r1',
      'm invalidated by a g2',
      'a started 2 g2: for r1',
      'a approved v3 (unreviewed)',
      'm started 0 g2',
      'm approved v2 (unreviewed) from a@3',
      'r1 started 0',
      'r2 started 0',
      'r1 approved v1 from m@2',
      'r2 approved v1 from m@2',
      'run completed',
    ]);
    expect(m.calls[1]?.signal.aborted).toBe(true);
  });

  it('delivers demands that meet before the target starts together, in order of arrival', async () => {
    // Rules 2, 14; x and y take the slots of b and c, so a has to wait until both have asked.
    //  a ──▶ b, c     both send a back
    //  p ──▶ x, y
    const { phases, options } = meeting({ regate: true });

    expect(await trace(phases, options)).toEqual([
      'a started 0',
      'p started 0',
      'a approved v1',
      'b started 0',
      'p approved v1 (unreviewed)',
      'c started 0',
      'b rewinding a: from b',
      'x started 0',
      'c rewinding a: from c',
      'y started 0',
      'x approved v1 (unreviewed) from p@1',
      'a started 1 g1: from b | from c',
      'a approved v2',
      'b started 0',
      'b approved v1 from a@2',
      'c started 0',
      'c approved v1 from a@2',
      'y approved v1 (unreviewed) from p@1',
      'run completed',
    ]);
    expect(phases[0].calls[1]?.revision).toMatchObject({ feedback: 'from b\n\nfrom c', requiredChange: 'Do it.' });
  });

  it('keeps a demand that comes while the target works, and runs it again at once', async () => {
    // Rule 14: c asks while a works on what b asked for.
    //  a ──▶ b, c     both send a back, c later
    const slowVerdict = held();
    const slowWork = held();
    const a = fake('a', { outputs: ['a 1', slowWork.script] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: from b'] });
    const c = fake('c', { after: ['a'], verdicts: [slowVerdict.script] });

    expect(
      await trace([a, b, c], {
        when: {
          'a started 1 g1: from b': () => slowVerdict.release('RETRY_PREDECESSOR a: from c'),
          'c rewinding a: from c': () => slowWork.release('a 2'),
        },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'b rewinding a: from b',
      'a started 1 g1: from b',
      'c rewinding a: from c',
      'a approved v2 (unreviewed)',
      'a started 2 g2: from c',
      'a approved v3 (unreviewed)',
      'b started 0',
      'c started 0',
      'b approved v1 from a@3',
      'c approved v1 from a@3',
      'run completed',
    ]);
    expect(a.calls[2]?.revision?.previousOutput).toBe('a 2');
  });

  it('repeats a demand if the target restarts before it has answered', async () => {
    // Rule 15: c sends b back, and b sends a back in response.
    //  a ──▶ b ──▶ c
    const a = fake('a');
    const b = fake('b', { after: ['a'], verdicts: ['APPROVE', 'RETRY_PREDECESSOR a: b cannot', 'APPROVE'] });
    const c = fake('c', { after: ['b'], verdicts: ['RETRY_PREDECESSOR b: c wants', 'APPROVE'] });

    expect(await trace([a, b, c])).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b approved v1 from a@1',
      'c started 0',
      'c rewinding b: c wants',
      'b started 1 g1: c wants',
      'b rewinding a: b cannot',
      'a started 1 g1: b cannot',
      'a approved v2 (unreviewed)',
      'b started 1 g1: c wants',
      'b approved v2 from a@2',
      'c started 0',
      'c approved v1 from b@2',
      'run completed',
    ]);
  });

  it('does not move a phase between that waits itself', async () => {
    // Rules 13 (last sentence), 14, 15: b is between a and d, and waits for a itself, when d sends a back.
    //  a ──▶ b ──▶ c     c sends b back, b sends a back, d sends a back
    //        └───▶ d
    const late = held();
    const work = held();
    const a = fake('a', { outputs: ['a 1', work.script] });
    const b = fake('b', { after: ['a'], verdicts: ['APPROVE', 'RETRY_PREDECESSOR a: b asks'] });
    const c = fake('c', { after: ['b'], verdicts: ['RETRY_PREDECESSOR b: c asks'] });
    const d = fake('d', { after: ['b'], rewindTo: 'ancestors', verdicts: [late.script] });

    expect(
      await trace([a, b, c, d], {
        when: {
          'a started 1 g1: b asks': () => late.release('RETRY_PREDECESSOR a: d asks'),
          'd rewinding a: d asks': () => work.release('a 2'),
        },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b approved v1 from a@1',
      'c started 0',
      'd started 0',
      'c rewinding b: c asks',
      'b started 1 g1: c asks',
      'b rewinding a: b asks',
      'a started 1 g1: b asks',
      'd rewinding a: d asks',
      'a approved v2 (unreviewed)',
      'a started 2 g2: d asks',
      'a approved v3 (unreviewed)',
      'b started 1 g1: c asks',
      'b approved v2 from a@3',
      'c started 0',
      'd started 0',
      'c approved v1 from b@2',
      'd approved v1 from b@2',
      'run completed',
    ]);
  });

  it('sends an ancestor back only if the gate allows it', async () => {
    // Rule 10: a list of ancestors, here only b.
    //  a ──▶ b ──▶ c
    const list = [fake('a'), fake('b', { after: ['a'] })];
    const c = fake('c', {
      after: ['b'],
      rewindTo: ['b'],
      onInvalidTarget: 'approve',
      verdicts: ['RETRY_PREDECESSOR b: fine', 'RETRY_PREDECESSOR a: not allowed'],
    });

    expect((await trace([...list, c])).slice(4)).toEqual([
      'c started 0',
      'c rewinding b: fine',
      'b started 1 g1: fine',
      'b approved v2 (unreviewed) from a@1',
      'c started 0',
      'c warned INVALID_TARGET',
      'c approved v1 (invalidTarget) from b@2',
      'run completed',
    ]);
  });
});

describe('regate: false', () => {
  it('lets the target pass without its gate', async () => {
    // Rules 5, 16.
    //  a ──▶ b
    const a = fake('a', { verdicts: ['APPROVE', 'REJECT: never asked'] });
    const b = fake('b', { after: ['a'], regate: false, verdicts: ['RETRY_PREDECESSOR a: more', 'APPROVE'] });

    expect(await trace([a, b])).toEqual([
      'a started 0',
      'a approved v1',
      'b started 0',
      'b rewinding a: more',
      'a started 1 g1: more',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'run completed',
    ]);
    expect(a.reviews).toHaveLength(1);
  });

  it('asks the gate again if one of the demands wants it', async () => {
    // Rule 16: b says regate: false, c does not; both demands meet in one attempt.
    const mixed = meeting({ regate: false });
    const lines = await trace(mixed.phases, mixed.options);
    expect(lines).toContain('a started 1 g1: from b | from c');
    expect(lines).toContain('a approved v2');
    expect(mixed.phases[0].reviews).toHaveLength(2);
  });
});

describe('invalidate', () => {
  //  a ──▶ b ──▶ d     c sends a back
  //  └───▶ c
  function diamond(invalidate: 'requester' | 'changed' | 'all', second: string) {
    const a = fake('a', { outputs: ['a 1', second] });
    const b = fake('b', { after: ['a'], outputs: ['b', 'b'] });
    const c = fake('c', { after: ['a', 'b'], invalidate, verdicts: ['RETRY_PREDECESSOR a: more', 'APPROVE'] });
    const d = fake('d', { after: ['b'], outputs: ['d', 'd'] });
    const e = fake('e', { after: ['a'] });
    return [a, b, c, d, e];
  }
  const opening = [
    'a started 0',
    'a approved v1 (unreviewed)',
    'b started 0',
    'e started 0',
    'b approved v1 (unreviewed) from a@1',
    'e approved v1 (unreviewed) from a@1',
    'c started 0',
    'd started 0',
  ];

  it("'requester' marks readers of the old version", async () => {
    // Rules 13, 18: b is between a and c and runs again; d and e keep what they read.
    expect(await trace(diamond('requester', 'a 2'))).toEqual([
      ...opening,
      'd approved v1 (unreviewed) from b@1',
      'c rewinding a: more',
      'b invalidated by a g1',
      'a started 1 g1: more',
      'a approved v2 (unreviewed)',
      'e stale by a',
      'b started 0 g1',
      'b approved v2 (unreviewed) from a@2',
      'd stale by b',
      'c started 0',
      'c approved v1 from a@2 b@2',
      'run completed',
    ]);
  });

  it("'changed' reruns readers of changed content, and stops at unchanged content", async () => {
    // Rule 18: e read a, whose content changed; d read b, whose content did not.
    expect(await trace(diamond('changed', 'a 2'))).toEqual([
      ...opening,
      'd approved v1 (unreviewed) from b@1',
      'c rewinding a: more',
      'b invalidated by a g1',
      'a started 1 g1: more',
      'a approved v2 (unreviewed)',
      'e invalidated by a g1',
      'b started 0 g1',
      'e started 0 g1',
      'b approved v2 (unreviewed) from a@2',
      'd unaffected by b v2',
      'e approved v2 (unreviewed) from a@2',
      'c started 0',
      'c approved v1 from a@2 b@2',
      'run completed',
    ]);
  });

  it("'changed' reruns nothing if the target commits the same content", async () => {
    // Rule 18.
    expect((await trace(diamond('changed', 'a 1'))).slice(opening.length)).toEqual([
      'd approved v1 (unreviewed) from b@1',
      'c rewinding a: more',
      'b invalidated by a g1',
      'a started 1 g1: more',
      'a unchanged 1',
      'a approved v2 (unreviewed)',
      'e unaffected by a v2',
      'b started 0 g1',
      'b approved v2 (unreviewed) from a@2',
      'd unaffected by b v2',
      'c started 0',
      'c approved v1 from a@2 b@2',
      'run completed',
    ]);
  });

  it("'all' reruns everything below, even with the same content", async () => {
    // Rule 18: d runs again because b does.
    expect((await trace(diamond('all', 'a 1'))).slice(opening.length)).toEqual([
      'd approved v1 (unreviewed) from b@1',
      'c rewinding a: more',
      'b invalidated by a g1',
      'a started 1 g1: more',
      'a unchanged 1',
      'a approved v2 (unreviewed)',
      'e invalidated by a g1',
      'b started 0 g1',
      'e started 0 g1',
      'b approved v2 (unreviewed) from a@2',
      'd invalidated by b g1',
      'e approved v2 (unreviewed) from a@2',
      'c started 0',
      'd started 0 g1',
      'd approved v2 (unreviewed) from b@2',
      'c approved v1 from a@2 b@2',
      'run completed',
    ]);
  });

  it("'requester' marks a running phase when it commits", async () => {
    // Rules 3, 18: c reads a@1 and is still running when a commits again.
    //  a ──▶ b     b sends a back
    //  └───▶ c
    const slow = held();
    const a = fake('a');
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more'] });
    const c = fake('c', { after: ['a'], outputs: [slow.script], verdicts: ['RETRY: again'] });

    const { lines } = await play([a, b, c], { when: { 'b approved v1 from a@2': () => slow.release('c 1') } });
    expect(lines).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'b rewinding a: more',
      'a started 1 g1: more',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'c retrying: again',
      'c started 1: again',
      'c approved v1 from a@1',
      'c stale by a',
      'run completed',
    ]);
    expect(c.calls[1]?.inputs['a']).toEqual({ work: 'a 1' });
  });

  it('reaches an indirect reader of the output', async () => {
    // Rule 18, "or one that asked for them": c reads a through its inputs, though it only comes after b.
    //  a ──▶ b ──▶ c
    //  └───▶ r        r sends a back
    const slow = held();
    const a = fake('a');
    const b = fake('b', { after: ['a'], outputs: ['b', 'b'] });
    const c = fake('c', {
      after: ['b'],
      outputs: [({ inputs }: TaskContext) => `saw ${String(inputs['a']?.['work'])}`],
    });
    const r = fake('r', { after: ['a'], verdicts: [slow.script, 'APPROVE'] });

    expect(
      await trace([a, b, c, r], {
        when: { 'c approved v1 (unreviewed) from b@1 a@1': () => slow.release('RETRY_PREDECESSOR a: more') },
      }),
    ).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'r started 0',
      'b approved v1 (unreviewed) from a@1',
      'c started 0',
      'c approved v1 (unreviewed) from b@1 a@1',
      'r rewinding a: more',
      'a started 1 g1: more',
      'a approved v2 (unreviewed)',
      'b stale by a',
      'c stale by a',
      'r started 0',
      'r approved v1 from a@2',
      'run completed',
    ]);
  });
});

describe('needsRework()', () => {
  it('sends a predecessor back from within a task, on the budget of the gate', async () => {
    // The table under rule 8 applies. The demand needs no reviewer.
    //  a ──▶ b
    const a = fake('a');
    const b = fake('b', {
      after: ['a'],
      maxPredecessorRetries: 1,
      outputs: [needsRework('a', 'no steps'), 'b'],
      verdicts: ['APPROVE'],
    });

    expect(await trace([a, b], { detail: ['reviews'] })).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b decided retryPredecessor by worker',
      'b rewinding a by worker: no steps',
      'a started 1 g1: no steps',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b review asked 1',
      'b decided approve',
      'b approved v1 from a@2',
      'run completed',
    ]);
  });

  it('is recognised from another copy of the library, but not by its shape alone', async () => {
    //  a ──▶ b     c throws an object that only resembles a demand
    //  └───▶ c
    vi.resetModules();
    const copy = await import('../src/model/handlers/needs-rework.ts');
    const demand = copy.needsRework('a', 'no steps');
    const [brand] = Object.getOwnPropertySymbols(demand);
    expect(demand).not.toBeInstanceOf(needsRework('a', '').constructor);
    const b = fake('b', { after: ['a'], outputs: [demand, 'b'], verdicts: ['APPROVE'] });
    const c = fake('c', { after: ['a'], outputs: [Object.assign(new Error('c'), { [brand ?? '']: true })] });

    expect(await trace([fake('a'), b, c])).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'b rewinding a by worker: no steps',
      'c failed with TASK_FAILED',
      'a started 1 g1: no steps',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'run failed',
    ]);
  });

  it('fails the phase if the budget is spent, and if there is no gate', async () => {
    //  a ──▶ b     c has no gate
    //  └───▶ c
    const a = fake('a');
    const b = fake('b', {
      after: ['a'],
      maxPredecessorRetries: 1,
      outputs: [needsRework('a', 'one'), needsRework('a', 'two')],
      verdicts: [],
    });
    const c = fake('c', { after: ['a'], outputs: [needsRework('a', 'three')] });

    expect(await trace([a, b, c])).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'c started 0',
      'b rewinding a by worker: one',
      'c failed with REWORK_IMPOSSIBLE',
      'a started 1 g1: one',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b failed with REWORK_IMPOSSIBLE',
      'run failed',
    ]);
  });

  it("is the reaction of a phase's input schema to an invalid output", async () => {
    //  a ──▶ b     b wants a number
    const a = fake('a', { outputs: ['seven', 7] });
    const b = fake('b', {
      after: ['a'],
      input: z.object({ a: z.object({ work: z.number() }) }),
      outputs: [({ inputs }: TaskContext) => inputs['a']],
      verdicts: [],
    });

    const { lines, result } = await play([a, b]);
    expect(lines).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b rewinding a by worker: a.work: Invalid input: expected number, received string',
      'a started 1 g1: a.work: Invalid input: expected number, received string',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b approved v1 from a@2',
      'run completed',
    ]);
    expect(result.outputs['b']).toEqual({ work: { work: 7 } });
    expect(b.calls).toHaveLength(1);
  });

  it('is unavailable to a phase without a gate: its input schema fails it', async () => {
    const a = fake('a');
    const b = fake('b', { after: ['a'], input: z.object({ a: z.object({ work: z.number() }) }) });

    expect(await trace([a, b])).toEqual([
      'a started 0',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b failed with INPUT_INVALID',
      'run failed',
    ]);
    expect(b.calls).toHaveLength(0);
  });

  it('is not retried as a failure would be', async () => {
    const b = fake('b', {
      after: ['a'],
      verdicts: [],
      tasks: [
        task('t', {
          retry: { attempts: 3 },
          run: ({ inputs }) => {
            if (inputs['a']?.['work'] === 'a 1') throw needsRework('a', 'more');
            return 1;
          },
        }),
      ],
    });
    const lines = await trace([fake('a'), b], { detail: ['tasks'], timed: true });
    expect(lines.filter((line) => line.includes('b/t'))).toEqual([
      '0 b/t try 1',
      '0 b/t failed with TASK_FAILED',
      '0 b/t try 1',
      '0 b/t done',
    ]);
  });

  it('stops the other tasks of the phase', async () => {
    const a = fake('a');
    const b = fake('b', {
      after: ['a'],
      verdicts: [],
      tasks: [
        task('first', {
          run: ({ inputs }) => {
            if (inputs['a']?.['work'] === 'a 1') throw needsRework('a', 'more');
            return 1;
          },
        }),
        task('second', { run: (context) => (context.inputs['a']?.['work'] === 'a 1' ? untilAborted(context) : 2) }),
      ],
    });

    expect(await trace([a, b], { detail: ['tasks'] })).toEqual([
      'a started 0',
      'a/work try 1',
      'a/work done',
      'a approved v1 (unreviewed)',
      'b started 0',
      'b/first try 1',
      'b/second try 1',
      'b/first failed with TASK_FAILED',
      'b/second failed with TASK_FAILED',
      'b rewinding a by worker: more',
      'a started 1 g1: more',
      'a/work try 1',
      'a/work done',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b/first try 1',
      'b/second try 1',
      'b/first done',
      'b/second done',
      'b approved v1 from a@2',
      'run completed',
    ]);
  });
});

/** Phases b and c send a back while x and y hold both slots, so that their demands meet before a starts. */
function meeting({ regate }: { readonly regate: boolean }) {
  const [bVerdict, cVerdict, pWork, xWork, yWork] = [held(), held(), held(), held(), held()] as const;
  const phases = [
    fake('a', { verdicts: ['APPROVE', 'APPROVE'] }),
    fake('b', { after: ['a'], regate, verdicts: [bVerdict.script] }),
    fake('c', { after: ['a'], verdicts: [cVerdict.script] }),
    fake('p', { outputs: [pWork.script] }),
    fake('x', { after: ['p'], outputs: [xWork.script] }),
    fake('y', { after: ['p'], outputs: [yWork.script] }),
  ] as const;
  const options: PlayOptions = {
    concurrency: 2,
    when: {
      'b started 0': () => pWork.release('p'),
      'c started 0': () => bVerdict.release('RETRY_PREDECESSOR a: from b'),
      'x started 0': () => cVerdict.release(retryPredecessor('a', 'from c', { requiredChange: 'Do it.' })),
      'y started 0': () => xWork.release('x'),
      'c approved v1 from a@2': () => yWork.release('y'),
    },
  };
  return { phases, options };
}
