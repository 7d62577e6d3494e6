/** Findings of reviewers from review to review, and gates in a loop (rules 38 and 39). */
import { describe, expect, it } from 'vitest';
import type { Issue, PriorFinding } from '../src/index.ts';
import type { EventOf } from '../src/records.ts';
import { fake, play, type Fake, type FakeOptions, type PlayOptions } from './rig.ts';

function issue(id: string, affectedPhase?: string): Issue {
  return { id, severity: 'high', description: `${id} is wrong.`, ...(affectedPhase && { affectedPhase }) };
}

function says(status: PriorFinding['status'], ...ids: readonly string[]): readonly PriorFinding[] {
  return ids.map((id) => ({ id, status }));
}

/** A demand with issues and the status of earlier findings. */
function demand(issues: readonly Issue[], priorFindings?: readonly PriorFinding[]): object {
  return { type: 'retry', feedback: 'Not yet.', issues, ...(priorFindings && { priorFindings }) };
}

function one(verdicts: readonly unknown[], options: FakeOptions = {}): Fake {
  return fake('work', { verdicts, maxRetries: 9, loopAfter: 'unlimited', ...options });
}

/** Runs a phase. @returns The findings that each review was shown, each with its number of consecutive open reviews. */
async function shown(phase: Fake, options: PlayOptions = {}): Promise<readonly (readonly string[])[]> {
  await play([phase], options);
  return phase.reviews.map(({ findings }) => findings.map(({ id, open }) => `${id} ${open}`));
}

describe('findings', () => {
  it('are shown until they are fixed', async () => {
    const verdicts = [demand([issue('a'), issue('b')]), demand([issue('b')]), demand([], []), 'APPROVE'];
    // The second review omits `a`. It gives no status of any finding, so `a` counts as fixed.
    expect(await shown(one(verdicts))).toEqual([[], ['a 1', 'b 1'], ['b 1'], ['b 2']]);
  });

  it('are closed as fixed or withdrawn by the reviewer, and then omitted ones stay open', async () => {
    const verdicts = [
      demand([issue('a'), issue('b'), issue('c')]),
      demand([issue('d')], [...says('fixed', 'a'), ...says('withdrawn', 'b')]),
      'APPROVE',
    ];
    expect(await shown(one(verdicts))).toEqual([[], ['a 1', 'b 1', 'c 1'], ['c 1', 'd 1']]);
  });

  it('that are still open are demanded again, in the same words', async () => {
    const phase = one([demand([issue('a')]), demand([], says('open', 'a')), 'APPROVE']);
    const { lines } = await play([phase]);
    expect(lines.filter((line) => line.includes('retrying'))).toEqual([
      'work retrying: Not yet. | - [high] a is wrong.',
      'work retrying: Not yet. | - [high] a is wrong.',
    ]);
  });

  it('belong to the reviewer that found them', async () => {
    const phase = fake('work', {
      reviewers: { ada: [demand([issue('a')]), 'APPROVE'], bob: [demand([issue('b')]), demand([]), 'APPROVE'] },
      loopAfter: 'unlimited',
    });
    await play([phase]);
    expect(phase.reviews.slice(2, 4).map(({ findings }) => findings.map(({ id }) => id))).toEqual([['a'], ['b']]);
  });

  it('are accepted if the gate approves anyway', async () => {
    const phases = [
      one([demand([issue('a')]), { type: 'approve', priorFindings: says('open', 'a') }, 'APPROVE'], {
        approval: { maxSeverity: 'high' },
      }),
      fake('next', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: once more', 'APPROVE'] }),
    ];
    await play(phases);
    expect(phases[0]?.reviews[2]?.findings).toEqual([]);
  });

  it('are accepted if the attempt is accepted on exhaustion', async () => {
    const phases = [
      one([demand([issue('a')]), 'APPROVE'], { maxRetries: 0, onExhausted: 'accept' }),
      fake('next', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: once more', 'APPROVE'] }),
    ];
    await play(phases);
    expect(phases[0]?.reviews[1]?.findings).toEqual([]);
  });

  it('stay the same after a review error', async () => {
    const phase = one([demand([issue('a')]), new Error('busy'), 'well', 'APPROVE']);
    expect(await shown(phase)).toEqual([[], ['a 1'], ['a 1'], ['a 1']]);
  });
});

describe('a loop', () => {
  it('is an issue that is open again while none is closed', async () => {
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

  it('does not exist while others are closed', async () => {
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

  it('is counted again after a decision of a person', async () => {
    const open = demand([issue('a')]);
    const phase = fake('work', { maxRetries: 9, loopAfter: 3, onExhausted: 'escalate', verdicts: Array(6).fill(open) });
    let asked = 0;
    const { records } = await play([phase], {
      when: {
        'work escalated (loop): Not yet. | - [high] a is wrong.': (run) =>
          run.decide('work', (asked += 1) < 2 ? 'RETRY: so' : 'APPROVE'),
      },
    });
    // Three consecutive reviews, then three more.
    const reviewed = records.filter(({ event }) => event.type === 'review.decided' && event.by === 'gate');
    expect(loops(records)).toHaveLength(2);
    expect(reviewed).toHaveLength(6);
  });

  //  plan ──▶ data ──▶ report    sends back one, then the other, in turns
  it('is one gate that sends back two phases in turns', async () => {
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

  //  plan ──▶ left ──▶ right    each sends back its predecessor
  it('is two gates that send back each other in turns', async () => {
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

  it('is no repetition of one target, and is off with loopAfter: unlimited', async () => {
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
