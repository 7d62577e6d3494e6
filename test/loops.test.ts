import { describe, expect, it } from 'vitest';
import {
  memoryStore,
  requestChanges,
  retryRun,
  startRun,
  definePipeline,
  phase,
  task,
  type Issue,
} from '../src/index.ts';
import { fake, play, trace } from './rig.ts';

const TYPO: Issue = { id: 'typo', severity: 'low', description: 'A word is missing.' };

describe('a loop', () => {
  it('does not exist between independent branches, whatever their order', async () => {
    //  a ──▶ a2      b ──▶ b2
    //  ▲──────┘ twice ▲──────┘ twice, in turns
    const again = (name: string) => [`RETRY_PREDECESSOR ${name}: one`, `RETRY_PREDECESSOR ${name}: two`, 'APPROVE'];
    const lines = await trace([
      fake('a'),
      fake('a2', { after: ['a'], verdicts: again('a') }),
      fake('b'),
      fake('b2', { after: ['b'], verdicts: again('b') }),
    ]);
    expect(lines.filter((line) => /loop|exhausted/u.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes('rewinding'))).toHaveLength(4);
  });

  it('does not exist if a check demands something else while a finding is open', async () => {
    const checks = [true, true, 'Make it pass.', true];
    const work = fake('work', {
      maxRetries: 5,
      loopAfter: 3,
      checks: [{ name: 'tests', run: () => checks.shift() ?? true }],
      verdicts: [requestChanges([TYPO]), requestChanges([TYPO]), 'APPROVE'],
    });
    const { lines } = await play([work]);
    expect(lines.join('\n')).not.toContain('loop');
    expect(lines.at(-1)).toBe('run completed');
  });

  it('is counted again if the phase was approved anyway, and is sent back later', async () => {
    //  work ──▶ later
    //    ▲────────┘ for another reason
    const work = fake('work', {
      maxRetries: 3,
      onExhausted: 'accept',
      verdicts: [requestChanges([TYPO]), requestChanges([TYPO]), requestChanges([TYPO]), 'APPROVE'],
    });
    const later = fake('later', { after: ['work'], verdicts: ['RETRY_PREDECESSOR work: cite', 'APPROVE'] });
    const { lines } = await play([work, later]);
    expect(lines.filter((line) => line.includes('loop'))).toHaveLength(1);
    expect(work.reviews.map((one) => one.findings.map(({ open }) => open))).toEqual([[], [1], [], [1]]);
  });

  it('is counted again if a run that has ended is retried', async () => {
    let reviews = 0;
    const work = phase('work', {
      tasks: [task('text', { run: () => 'text' })],
      review: {
        maxRetries: 5,
        onExhausted: 'reject',
        by: () => (++reviews > 3 ? 'APPROVE' : requestChanges([TYPO])),
      },
    });
    const pipeline = definePipeline({ name: 'p', phases: [work] });
    const store = memoryStore();
    await startRun(pipeline, { store, runId: 'r' }).result;
    const run = await retryRun(store, 'r', pipeline);
    expect(await run.result).toMatchObject({ status: 'completed', phases: { work: { because: 'approved' } } });
  });

  it('is counted again after a decision of a person: two more reviews are needed', async () => {
    const work = fake('work', {
      maxRetries: 9,
      onExhausted: 'escalate',
      verdicts: Array.from({ length: 6 }, () => requestChanges([TYPO])),
    });
    const asked = 'work escalated (loop): - [low] A word is missing.';
    const { lines } = await play([work], { when: { [asked]: (run) => run.decide('work', 'RETRY: look closely') } });
    expect(lines.filter((line) => line === asked)).toHaveLength(3);
    expect(lines.at(-1)).toBe('run completed');
  });
});

describe('an approval with open issues', () => {
  it('emits a warning with their names', async () => {
    const work = fake('work', {
      verdicts: [requestChanges([TYPO]), { type: 'approve', priorFindings: [{ id: 'typo', status: 'open' }] }],
    });
    const { result, lines } = await play([work]);
    expect(result.warnings).toEqual([
      { phase: 'work', code: 'ISSUES_ACCEPTED', message: 'Approved with issues that are open: typo' },
    ]);
    expect(lines.at(-1)).toBe('run completed');
  });
});

describe('the outputs of a requester', () => {
  it('in its context are those of the attempt with the issues', async () => {
    //  a ──▶ b ──▶ c
    //  ▲─────┘     │ issues of a and of b, in the second generation of b
    //        ▲─────┘
    const b = fake('b', {
      after: ['a'],
      verdicts: ['APPROVE', requestChanges([{ ...TYPO, id: 'one', affectedPhase: 'a' }, TYPO]), 'APPROVE'],
    });
    const c = fake('c', { after: ['b'], verdicts: ['RETRY_PREDECESSOR b: more', 'APPROVE'] });
    await play([fake('a'), b, c]);
    expect(b.calls.map((one) => one.revision?.previousOutput)).toEqual([undefined, 'b 1', 'b 2']);
    expect(Object.keys(b.reviews[2]?.difference ?? {})).toEqual(['work']);
    expect(b.reviews[2]?.difference['work']?.before).toBe('b 2');
  });
});
