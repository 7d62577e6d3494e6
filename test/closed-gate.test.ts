/** A gate that no reviewer opens stays closed, with default options. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  policies,
  reject,
  retry,
  resumeRun,
  startRun,
  task,
  memoryStore,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import type { RunStore } from '../src/store.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';
import { fails, rehearse } from '../src/testing.ts';
import { fake, held, play, type FakeOptions } from './rig.ts';

/** Hides the type of an answer, as JavaScript and casts do. */
function untyped(answer: unknown): never {
  return answer as never;
}

const working = (name: string, run: () => string) => ({ tasks: [task(name, { run })] });
const article = definePipeline({
  name: 'article',
  phases: [
    phase(
      'research',
      working('gather', () => 'a fact'),
    ),
    phase('writing', { after: ['research'], ...working('draft', () => 'a draft'), review: () => approve() }),
    phase('publish', { after: ['writing'], ...working('post', () => 'posted') }),
  ],
});

/** Rehearses the first pipeline of a new user: research, and a text with a reviewer that always answers the same. */
async function published(review: unknown) {
  return (await rehearse(article, { tasks: { '*': 'text' }, reviews: { writing: review } })).result;
}

describe('the first pipeline of a new user publishes only what is approved', () => {
  it.each<readonly [string, unknown, string, string]>([
    ['says retry three times', retry('Not yet.'), 'rejected', 'Not yet.'],
    [
      'has a typo in retryPredecessor',
      { type: 'retryPredecessor', phase: 'reserch', feedback: 'More.' },
      'failed',
      'Did you mean "research"?',
    ],
    ['answers in prose', 'not good at all, please REDO', 'failed', 'no verdict in "not good at all, please REDO"'],
    ['answers undefined', () => undefined, 'failed', 'it answered nothing'],
    ['misspells the type', { type: 'aproved' }, 'failed', 'Did you mean "approve"?'],
    ['sends back nobody, in words', 'RETRY_PREDECESSOR reserch: More.', 'failed', 'Cannot send back "reserch"'],
    ['throws', fails('no network'), 'failed', 'no network'],
    ['rejects', reject('No.'), 'rejected', 'No.'],
  ])('and nothing if its reviewer %s', async (_, review, status, why) => {
    const result = await published(review);
    expect(result.status).toBe(status);
    expect(result.phases['publish']?.status).toBe('skipped');
    expect(result.phases['writing']?.reason ?? result.phases['writing']?.error?.message).toContain(why);
  });

  it('and publishes what is approved', async () => {
    expect((await published(approve())).status).toBe('completed');
  });
});

describe('a decision of code', () => {
  const ends = async (answer: unknown, options: FakeOptions = {}) => {
    const b = fake('b', { after: ['a'], verdicts: [answer, answer, answer, answer], ...options });
    const { result, records } = await play([fake('a'), b, fake('c', { after: ['b'] })], { run: { attended: true } });
    const asked = records.filter(({ event }) => event.type === 'review.started').length;
    return { status: result.status, asked, error: result.phases['b']?.error };
  };
  const broken = (code: string, ...words: readonly string[]) => ({
    status: 'failed',
    asked: 1,
    error: { code, message: expect.stringMatching(new RegExp(words.join('[^]*'), 'u')) as string },
  });

  it.each([undefined, 'escalate', 'ask'] as const)(
    'fails at once if it sends back an unknown phase, with onInvalidTarget %s',
    async (onInvalidTarget) => {
      const found = await ends({ type: 'retryPredecessor', phase: 'aa', feedback: '' }, { onInvalidTarget });
      expect(found).toMatchObject(broken('DECISION_TARGET_INVALID', '"aa" from phase "b"', 'Did you mean "a"\\?'));
    },
  );

  it('fails at once if it sends back a phase that its gate may not send back', async () => {
    const found = await ends({ type: 'retryPredecessor', phase: 'c', feedback: '' });
    expect(found).toMatchObject(
      broken('DECISION_TARGET_INVALID', 'its gate may not', 'may send back "a"', '`rewindTo`'),
    );
    const own = await ends({ type: 'retryPredecessor', phase: 'b', feedback: '' });
    expect(own).toMatchObject(broken('DECISION_TARGET_INVALID', 'use retry\\(feedback\\)'));
  });

  it.each<readonly [string, unknown, readonly string[]]>([
    ['nothing', undefined, ['it answered nothing']],
    ['null', null, ['it answered nothing']],
    ['a boolean', true, ['"true", a boolean']],
    ['a list', [approve()], ['a list']],
    ['no type', { feedback: 'x' }, ['has no `type`']],
    ['another type', { type: 'redo', feedback: 'x' }, ['"redo" is unknown']],
    ['a misspelt type', { type: 'escalat', reason: 'x' }, ['"escalat" is unknown\\. Did you mean "escalate"']],
    [
      'a misspelt key',
      { type: 'retry', feedback: 'x', requiredchange: 'y' },
      ['no field "requiredchange"\\. Did you mean "requiredChange"'],
    ],
    ['a key of another type', { type: 'approve', feedback: 'but add a source' }, ['no field "feedback"']],
    [
      'a key that its issue has not',
      { type: 'retry', feedback: 'x', issues: [{ severity: 'low', description: 'x', phase: 'a' }] },
      ['issues\\.0: there is no field "phase"'],
    ],
  ])('fails at once if it is %s', async (_, answer, words) => {
    expect(await ends(() => answer)).toMatchObject(broken('DECISION_INVALID', ...words));
  });

  it('fails at once if its constructor throws, as `retry` does; other errors are asked again', async () => {
    expect(await ends(() => retry(untyped(7)))).toMatchObject(
      broken('DECISION_INVALID', 'feedback is not a string: 7'),
    );
    const { asked } = await ends(new Error('busy'), { maxReviewErrors: 1, onExhausted: 'reject' }).catch(() => ({
      asked: 2,
    }));
    expect(asked).toBe(2);
  });

  it('stops the other reviewers, whatever they would answer', async () => {
    const other = held();
    const b = fake('b', {
      reviewers: { slow: [other.script], code: [() => undefined], quick: ['APPROVE'] },
      quorum: 1,
    });
    const { lines, records } = await play([b]);
    expect(lines).toEqual(['b started 0', 'b failed with DECISION_INVALID', 'run failed']);
    expect(other.signal()?.aborted).toBe(true);
    const decided = records.flatMap(({ event }) =>
      event.type === 'review.decided' ? Object.keys(event.verdicts) : [],
    );
    expect(decided).not.toContain('slow');
  });
});

describe('a task that reviews and writes its decision as an object', () => {
  // The types see its literals as plain text, so the run validates them.
  it.each([
    [{ type: 'retyr', feedback: 'x' }, 'DECISION_INVALID', 'Did you mean "retry"?'],
    [{ type: 'retryPredecessor', phase: 'reserch', feedback: 'x' }, 'DECISION_TARGET_INVALID', 'mean "research"?'],
  ])('fails its phase at once with %j', async (answer, code, words) => {
    const research = phase('research', { tasks: [task('t', { run: () => 1 })] });
    const judge = task('judge', { run: () => answer });
    const writing = phase('writing', { after: [research], tasks: [task('t', { run: () => 1 })], review: judge });
    const { status, phases } = await startRun(definePipeline({ name: 'p', phases: [research, writing] })).result;
    expect([status, phases.writing.error?.code]).toEqual(['failed', code]);
    expect(phases.writing.error?.message).toContain(words);
  });
});

describe('a check with an unknown key in its answer', () => {
  it('is refused, so that no text is lost', async () => {
    const run = () => untyped({ passed: false, feedback: 'Cite two sources.' });
    const { result } = await play([fake('a', { maxReviewErrors: 0, checks: [{ name: 'sources', run }] })]);
    expect(result.status).toBe('failed');
    expect(result.phases['a']?.error?.message).toContain('Unrecognized key: "feedback"');
  });
});

describe('text that sends back a phase that it may not', () => {
  const phases = (options: FakeOptions = {}) => [
    fake('a'),
    fake('b', {
      after: ['a'],
      maxReviewErrors: 1,
      verdicts: ['RETRY_PREDECESSOR aa: x', 'RETRY_PREDECESSOR a: x'],
      ...options,
    }),
  ];

  it('is asked for again, on the budget of review errors', async () => {
    const { lines } = await play(phases(), { detail: ['reviews'] });
    expect(lines.slice(2)).toEqual([
      'b started 0',
      'b review asked 1',
      'b decided unavailable',
      'b review asked 2',
      'b decided retryPredecessor',
      'b rewinding a: x',
      'a started 1 g1: x',
      'a approved v2 (unreviewed)',
      'b started 0',
      'b review asked 1',
      'b decided approve',
      'b approved v1 from a@2',
      'run completed',
    ]);
  });

  it('ends as a missing answer does once that budget is spent', async () => {
    const { result } = await play(phases({ maxReviewErrors: 0 }));
    expect(result.phases['b']?.error).toMatchObject({
      code: 'REVIEW_UNAVAILABLE',
      message: expect.stringContaining('Cannot send back "aa"') as string,
    });
    const asked = await play(phases({ maxReviewErrors: 0 }), {
      run: { attended: true },
      when: {
        'b escalated (reviewUnavailable): Cannot send back "aa" from phase "b" for reviewer "review" as the pipeline has no phase of that name':
          (run) => run.decide('b', 'APPROVE'),
      },
    });
    expect(asked.result.status).toBe('completed');
  });
});

describe('policies', () => {
  it('ensemble accepts without approval; strict asks a person', async () => {
    const phases = () => [
      fake('a', { maxRetries: 0, verdicts: ['RETRY: more'] }),
      fake('b', { verdicts: ['fine, I guess'] }),
      fake('c', { after: ['b'], verdicts: ['RETRY_PREDECESSOR a: more'] }),
    ];
    const open = await play(phases(), { policy: policies.ensemble });
    expect(Object.values(open.result.phases).map(({ because }) => because)).toEqual([
      'exhausted',
      'unrecognised',
      'invalidTarget',
    ]);
    const strict = await play([fake('a', { maxRetries: 0, verdicts: ['RETRY: more'] })], {
      policy: policies.strict,
      when: { 'a escalated (exhausted): more': (run) => run.decide('a', 'REJECT: no') },
    });
    expect(strict.result.status).toBe('rejected');
  });

  it('strict asks a person about a reviewer that is never certain', async () => {
    const { result } = await play([fake('a', { verdicts: [escalate('look')] })], {
      policy: policies.strict,
      when: { 'a escalated (requested): look': (run) => run.decide('a', 'APPROVE') },
    });
    expect(result.status).toBe('completed');
  });
});

describe('a run that was stored when gates still opened by default', () => {
  // The fixture is of an earlier build, left while the tasks of `spent`, `vague` and `astray` were running.
  const lines = readFileSync(new URL('fixtures/kept/open-defaults.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const records = lines.map((line) => JSON.parse(line) as RunRecord);

  const kept = async (): Promise<RunStore> => {
    const store = memoryStore();
    await copyRun(store, 'lenient', records, { startedAt: records[0]?.time ?? 0 });
    return store;
  };
  const work = task('work', { run: () => 'work' });
  const pipeline = (policy?: typeof policies.strict | { readonly maxRetries: number }) =>
    definePipeline({
      name: 'lenient',
      ...(policy && { policy }),
      phases: [
        phase('source', { tasks: [work], review: () => 'APPROVE' }),
        phase('spent', { after: ['source'], tasks: [work], review: { by: () => 'RETRY: More.', maxRetries: 0 } }),
        phase('vague', { after: ['source'], tasks: [work], review: () => 'Looks fine to me.' }),
        phase('astray', { after: ['source'], tasks: [work], review: () => 'RETRY_PREDECESSOR sauce: Season it.' }),
      ],
    });

  it('resumes with the policy of its plan', async () => {
    const run = await resumeRun(await kept(), 'lenient', pipeline());
    const { status, phases } = await run.result;
    expect(status).toBe('completed');
    expect(Object.values(phases).map(({ because }) => because)).toEqual([
      'approved',
      'exhausted',
      'unrecognised',
      'invalidTarget',
    ]);
    const anew = await startRun(pipeline()).result;
    expect(anew.status).toBe('failed');
  });

  it('refuses another policy, as before', async () => {
    await expect(resumeRun(await kept(), 'lenient', pipeline({ maxRetries: 1 }))).rejects.toMatchObject({
      code: 'RUN_CHANGED',
      message: expect.not.stringContaining('onExhausted') as string,
    });
    await expect(resumeRun(await kept(), 'lenient', pipeline(policies.strict))).rejects.toMatchObject({
      code: 'RUN_CHANGED',
    });
  });
});
