/** A model that is asked several times for one review. */
import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/index.ts';
import { openaiReviewer, type Ask, type AskReply } from '../../src/openai.ts';
import { plainTask, STEADY, tell, type Told } from './rig.ts';
import { nonceIn } from './server.ts';

/** The result of one sample: fields of a verdict, a text, an error, or a wait until it is aborted. */
type Sample = Readonly<Record<string, unknown>> | string | Error | typeof HANGS;

const HANGS = Symbol('hangs');

const yes = { verdict: 'approved', critique: 'Fine.', conf: 0.9 };
const no = { verdict: 'needs_changes', required_change: 'Name a number.', critique: 'It has none.', conf: 0.9 };
const never = { verdict: 'reject', critique: 'Off the topic.', conf: 0.9 };

/** Reviews with a number of samples. Those of a repeated review follow those of the first. */
async function review(
  samples: number,
  said: readonly Sample[],
  policy: Policy = {},
): Promise<Told & { nonces: string[]; aborted: () => number }> {
  const nonces: string[] = [];
  let aborted = 0;
  const ask: Ask = async ({ messages, onDelta, signal }): Promise<AskReply> => {
    const nonce = nonceIn(messages[0]?.content ?? '');
    const one = said[nonces.length] ?? yes;
    nonces.push(nonce);
    onDelta('{');
    if (one instanceof Error) throw one;
    if (one === HANGS) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted += 1;
      throw new Error('aborted');
    }
    const text = typeof one === 'string' ? one : JSON.stringify({ nonce, ...one });
    return { text, usage: { inputTokens: 100, outputTokens: 10 } };
  };
  const editor = openaiReviewer('editor', {
    ask,
    samples,
    criteria: 'It is short.',
    retry: { ...STEADY, attempts: 2 },
  });
  const told = await tell(plainTask('Gates help.'), editor, { policy: { maxRetries: 0, ...policy } });
  return { ...told, nonces, aborted: () => aborted };
}

/** Returns the verdict of the first review. */
function firstOf({ records }: Told): unknown {
  return records.flatMap(({ event }) => (event.type === 'review.decided' ? [event.verdict] : []))[0];
}

function failure(fields: object): Error {
  return Object.assign(new Error('busy'), fields);
}

describe('samples', () => {
  it.each<[string, readonly Sample[], string]>([
    ['all approve', [yes, yes, yes], 'approve'],
    ['two of three approve', [yes, no, yes], 'approve'],
    ['two of three ask for changes', [no, yes, no], 'retry'],
    ['two of three reject', [never, never, yes], 'reject'],
    ['two approve and one is no verdict', [yes, 'APPROVE', yes], 'approve'],
    ['two approve and one cannot be had', [yes, failure({}), yes], 'approve'],
    ['two approve and one can never be had', [yes, yes, failure({ retryable: false })], 'approve'],
  ])('decide by more than half: %s', async (_, said, type) => {
    const told = await review(3, said);
    expect(firstOf(told)).toMatchObject({ type });
    expect(told.nonces.length).toBe(3);
    expect(new Set(told.nonces).size).toBe(3);
  });

  it.each<[string, number, readonly Sample[], string]>([
    ['three say three things', 3, [yes, no, never], 'approve once, retry once, reject once'],
    [
      'one of three is no verdict and the others differ',
      3,
      [yes, '{}', no],
      'approve once, retry once, nothing once: Cannot use',
    ],
    ['two of three are no verdicts', 3, [yes, '', ''], 'approve once, nothing 2 times: Cannot use'],
    ['half is not more than half', 4, [yes, yes, no, no], 'approve 2 times, retry 2 times'],
    ['half is not more than half, whatever the rest', 2, [yes, 'APPROVE'], 'approve once, nothing once: Cannot use'],
  ])('without agreement make the gate ask again: %s', async (_, samples, said, found) => {
    const told = await review(samples, said);
    expect(told.lines).toEqual([
      'draft completed at try 1',
      expect.stringContaining(
        `verdict unavailable: MODEL_ANSWER_INVALID Cannot use the answer of the model of "editor" of phase "note" as more than half of its ${samples} samples have to agree, but the verdicts are ${found}`,
      ),
      'verdict approve',
      'completed',
    ]);
    expect(told.nonces.length).toBe(2 * samples);
  });

  it('that fail are repeated by the reviewer if they are needed, after the longest requested wait', async () => {
    const told = await review(3, [yes, failure({ retryAfterMs: 2000 }), failure({ retryAfterMs: 7000 })]);
    expect(told.lines).toEqual([
      'draft completed at try 1',
      expect.stringContaining('editor retrying after try 1 in 7000 ms: TASK_FAILED busy'),
      'verdict approve',
      'completed',
    ]);
    // Two of the second three samples decide, so the last is not asked.
    expect(told.nonces.length).toBe(5);
  });

  it('that all fail end the review', async () => {
    const locked = failure({ retryable: false });
    const told = await review(3, [locked, locked, locked]);
    expect(told.lines.slice(1)).toEqual(['verdict unavailable: TASK_FAILED busy', 'failed']);
    expect(told.nonces.length).toBe(3);
  });

  it.each<[string, number, readonly Sample[], string]>([
    ['two of three approve', 3, [yes, HANGS, yes], 'approve'],
    ['three of five ask for changes', 5, [no, HANGS, no, HANGS, no], 'retry'],
  ])('that hang are aborted once the others decide: %s', async (_, samples, said, type) => {
    const { aborted, ...told } = await review(samples, said);
    expect(firstOf(told)).toMatchObject({ type });
    expect(aborted()).toBe(said.filter((one) => one === HANGS).length);
    expect(told.result.metrics.tokens).toBe(110 * (samples - aborted()));
  });

  it.each<[string, number, readonly Sample[], string]>([
    ['no verdicts', 3, ['', '', HANGS], 'verdict unavailable: MODEL_ANSWER_INVALID'],
    ['three say three things of four', 4, [yes, no, never, HANGS], 'verdict unavailable: MODEL_ANSWER_INVALID'],
    ['two can be had later', 3, [failure({}), failure({}), HANGS], 'editor retrying after try 1'],
    ['one can be had later', 3, [failure({ retryable: false }), failure({}), HANGS], 'editor retrying after try 1'],
    [
      'two can never be had',
      3,
      Array(2)
        .fill(failure({ retryable: false }))
        .concat(HANGS),
      'verdict unavailable: TASK',
    ],
  ])('that hang are aborted once no decision is possible: %s', async (_, samples, said, line) => {
    const { aborted, lines } = await review(samples, said);
    expect(lines[1]).toContain(line);
    expect(aborted()).toBe(1);
  });

  it('merge the findings of the winning side, without duplicates', async () => {
    const issue = (description: string) => ({ severity: 'high', description });
    const told = await review(3, [
      { ...no, conf: 0.95, score: 20, issues: [issue('No number.'), issue('No source.')] },
      { ...yes, conf: 1, score: 99, issues: [issue('A comma.')] },
      { ...no, critique: 'It  has NONE.', conf: 0.7, score: 40, issues: [issue('no number.'), issue('Too long.')] },
    ]);
    expect(firstOf(told)).toMatchObject({
      type: 'retry',
      feedback: expect.stringMatching(/^Name a number\.\n\nIt has none\./u) as unknown,
      requiredChange: 'Name a number.',
      confidence: 0.7,
      score: 20,
    });
    const { issues = [] } = firstOf(told) as { issues?: readonly { description: string }[] };
    expect(issues.map((one) => one.description)).toEqual(['No number.', 'No source.', 'Too long.']);
  });

  it('have the median confidence, which may be too low', async () => {
    const sure = (conf: number) => ({ ...no, conf });
    expect(firstOf(await review(3, [sure(0.99), sure(0.7), sure(0.2)]))).toMatchObject({ confidence: 0.7 });
    expect(firstOf(await review(3, [sure(0.99), sure(0.5), sure(0.2)]))).toMatchObject({ type: 'inconclusive' });
  });

  it('all report their usage, and the first one reports progress', async () => {
    const { result, records } = await review(3, [yes, 'no verdict', yes]);
    expect(result.metrics.tokens).toBe(330);
    const told = records.flatMap(({ event }) =>
      event.type === 'task.reported' && event.task === 'editor' ? [event] : [],
    );
    expect(told.filter((one) => one.progress !== undefined).length).toBe(1);
    expect(told.filter((one) => one.tokens === 110).length).toBe(3);
  });

  it.each([0, -1, 1.5, Number.NaN, '3', Infinity])('are a whole number from 1, not %s', (samples) => {
    const ask: Ask = () => Promise.resolve({ text: '' });
    expect(() => openaiReviewer('editor', { ask, criteria: 'c', samples: samples as number })).toThrow(
      /^Cannot let a model review as "editor" as `samples` is .*, not a whole number from 1/u,
    );
  });
});
