/**
 * What reviewers found, from review to review, and gates that go round in a loop (rules 38 and 39).
 */
import { describe, expect, it } from 'vitest';
import type { EventOf, Issue, PriorFinding } from '../src/index.ts';
import { fake, play, type Fake, type FakeOptions, type PlayOptions } from './rig.ts';

function issue(id: string, affectedPhase?: string): Issue {
  return { id, severity: 'high', description: `${id} is wrong.`, ...(affectedPhase && { affectedPhase }) };
}

function says(status: PriorFinding['status'], ...ids: readonly string[]): readonly PriorFinding[] {
  return ids.map((id) => ({ id, status }));
}

/** A demand with issues that says what became of earlier ones. */
function demand(issues: readonly Issue[], priorFindings?: readonly PriorFinding[]): object {
  return { type: 'retry', feedback: 'Not yet.', issues, ...(priorFindings && { priorFindings }) };
}

function one(verdicts: readonly unknown[], options: FakeOptions = {}): Fake {
  return fake('work', { verdicts, maxRetries: 9, loopAfter: 'unlimited', ...options });
}

/** The names of the findings that each review was shown, with how often in a row they were open. */
async function shown(phase: Fake, options: PlayOptions = {}): Promise<readonly (readonly string[])[]> {
  await play([phase], options);
  return phase.reviews.map(({ findings }) => findings.map(({ id, open }) => `${id} ${open}`));
}

describe('findings', () => {
  it('are shown until they are known to be fixed', async () => {
    const verdicts = [demand([issue('a'), issue('b')]), demand([issue('b')]), demand([], []), 'APPROVE'];
    // The second review does not speak of `a`, and says of no finding what became of it: that is fixed.
    expect(await shown(one(verdicts))).toEqual([[], ['a 1', 'b 1'], ['b 1'], ['b 2']]);
  });

  it('are closed as fixed or withdrawn where the reviewer says so, and those of which it does not speak stay open then', async () => {
    const verdicts = [
      demand([issue('a'), issue('b'), issue('c')]),
      demand([issue('d')], [...says('fixed', 'a'), ...says('withdrawn', 'b')]),
      'APPROVE',
    ];
    expect(await shown(one(verdicts))).toEqual([[], ['a 1', 'b 1', 'c 1'], ['c 1', 'd 1']]);
  });

  it('that are said to be open are demanded again, in the words of before', async () => {
    const phase = one([demand([issue('a')]), demand([], says('open', 'a')), 'APPROVE']);
    const { lines } = await play([phase]);
    expect(lines.filter((line) => line.includes('retrying'))).toEqual([
      'work retrying: Not yet. | - [high] a is wrong.',
      'work retrying: Not yet. | - [high] a is wrong.',
    ]);
  });

  it('belong to whoever found them', async () => {
    const phase = fake('work', {
      reviewers: { ada: [demand([issue('a')]), 'APPROVE'], bob: [demand([issue('b')]), demand([]), 'APPROVE'] },
      loopAfter: 'unlimited',
    });
    await play([phase]);
    expect(phase.reviews.slice(2, 4).map(({ findings }) => findings.map(({ id }) => id))).toEqual([['a'], ['b']]);
  });

  it('are accepted where the gate approves all the same', async () => {
    const phases = [
      one([demand([issue('a')]), { type: 'approve', priorFindings: says('open', 'a') }, 'APPROVE'], {
        approval: { maxSeverity: 'high' },
      }),
      fake('next', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: once more', 'APPROVE'] }),
    ];
    await play(phases);
    expect(phases[0]?.reviews[2]?.findings).toEqual([]);
  });

  it('are accepted where the attempt was taken as the budget was spent', async () => {
    const phases = [
      one([demand([issue('a')]), 'APPROVE'], { maxRetries: 0, onExhausted: 'accept' }),
      fake('next', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: once more', 'APPROVE'] }),
    ];
    await play(phases);
    expect(phases[0]?.reviews[1]?.findings).toEqual([]);
  });

  it('are as they were where the review was none', async () => {
    const phase = one([demand([issue('a')]), new Error('busy'), 'well', 'APPROVE']);
    expect(await shown(phase)).toEqual([[], ['a 1'], ['a 1'], ['a 1']]);
  });
});

describe('a loop', () => {
  it('is an issue that is open again while none was closed', async () => {
    const phase = fake('work', { maxRetries: 9, verdicts: [demand([issue('a')]), demand([issue('a')])] });
    const { lines, records } = await play([phase], { policy: { onExhausted: 'accept' } });
    expect(lines.slice(-4)).toEqual([
      'work goes round in a loop: issue',
      'work warned EXHAUSTED',
      'work approved v1 (exhausted)',
      'run completed',
    ]);
    expect(loops(records)).toMatchObject([{ kind: 'issue', issues: ['a'], rewinds: [] }]);
  });

  it('is none while others are closed', async () => {
    const phase = fake('work', {
      maxRetries: 9,
      verdicts: [
        demand([issue('a'), issue('b'), issue('c')]),
        demand([issue('a'), issue('b')]),
        demand([issue('a')]),
        demand([issue('a')]),
      ],
    });
    const { records } = await play([phase]);
    expect(loops(records)).toHaveLength(1);
    expect(phase.calls).toHaveLength(4);
  });

  it.each([
    ['escalate', 'work escalated (loop)'],
    ['reject', 'work rejected'],
  ] as const)("is followed by what onExhausted: '%s' says", async (onExhausted, follows) => {
    const phase = fake('work', {
      maxRetries: 9,
      onExhausted,
      verdicts: [demand([issue('a')]), demand([issue('a')])],
    });
    const outcome = await play([phase])
      .then(({ lines }) => lines.join('\n'))
      .catch((error: unknown) => String(error));
    expect(outcome).toContain(follows);
  });

  it('is looked for anew where a person has decided', async () => {
    const open = demand([issue('a')]);
    const phase = fake('work', { maxRetries: 9, loopAfter: 3, onExhausted: 'escalate', verdicts: Array(6).fill(open) });
    let asked = 0;
    const { records } = await play([phase], {
      when: {
        'work escalated (loop): Not yet. | - [high] a is wrong.': (run) =>
          run.decide('work', (asked += 1) < 2 ? 'RETRY: so' : 'APPROVE'),
      },
    });
    // Three in a row, then three more.
    const reviewed = records.filter(({ event }) => event.type === 'review.decided' && event.by === 'gate');
    expect(loops(records)).toHaveLength(2);
    expect(reviewed).toHaveLength(6);
  });

  //  plan ──▶ data ──▶ report    sends back one, then the other, and so on
  it('is one gate that sends back two phases by turns', async () => {
    const phases = [
      fake('plan'),
      fake('data', { after: ['plan'] }),
      fake('report', {
        after: ['data'],
        rewindTo: 'ancestors',
        maxPredecessorRetries: 9,
        verdicts: turns('RETRY_PREDECESSOR plan: more', 'RETRY_PREDECESSOR data: less'),
      }),
    ];
    const { records } = await play(phases);
    const [first, second] = [
      { from: 'report', to: 'plan' },
      { from: 'report', to: 'data' },
    ];
    expect(loops(records)).toMatchObject([{ kind: 'rewind', issues: [], rewinds: [first, second, first, second] }]);
  });

  //  plan ──▶ left ──▶ right    each sends back what is before it
  it('is two gates that send back each other by turns', async () => {
    const phases = [
      fake('plan'),
      fake('left', {
        after: ['plan'],
        maxPredecessorRetries: 9,
        verdicts: ['APPROVE', 'RETRY_PREDECESSOR plan: more', 'APPROVE', 'RETRY_PREDECESSOR plan: more', 'APPROVE'],
      }),
      fake('right', {
        after: ['left'],
        maxPredecessorRetries: 9,
        verdicts: turns('RETRY_PREDECESSOR left: less', 'RETRY_PREDECESSOR left: fewer'),
      }),
    ];
    const { records, lines } = await play(phases, { policy: { onExhausted: 'accept' } });
    expect(loops(records)).toMatchObject([{ phase: 'left', kind: 'rewind' }]);
    expect(lines).toContain('left warned EXHAUSTED');
  });

  it('is none where the same phase is sent back again and again, or with loopAfter: unlimited', async () => {
    const same = [
      fake('plan'),
      fake('report', {
        after: ['plan'],
        maxPredecessorRetries: 5,
        verdicts: [1, 2, 3, 4, 5].map((number) => `RETRY_PREDECESSOR plan: more ${number}`),
      }),
    ];
    expect(loops((await play(same)).records)).toEqual([]);
    const open = one([demand([issue('a')]), demand([issue('a')]), demand([issue('a')]), 'APPROVE']);
    expect(loops((await play([open])).records)).toEqual([]);
  });
});

// --- internal ---

function loops(records: Awaited<ReturnType<typeof play>>['records']): readonly EventOf<'loop.detected'>[] {
  return records.flatMap(({ event }) => (event.type === 'loop.detected' ? event : []));
}

function turns(first: string, second: string): readonly string[] {
  return [first, second, first, second, first, second];
}
