import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { askReply } from '../../src/cli/inbox/ask-reply.ts';
import { PhasegateError } from '../../src/index.ts';
import type { InboxItem, Reply } from '../../src/inbox.ts';

const item: InboxItem = {
  id: 'r:1',
  runId: 'r',
  seq: 1,
  pipeline: 'p',
  kind: 'escalation',
  about: 'a',
  generation: 0,
  attempt: 0,
  because: 'requested',
  reason: 'Well?',
  nonce: 'n',
  queue: 'default',
  severity: 'normal',
  openedAt: 0,
};

describe('askReply()', () => {
  it('asks again after an empty line or a refused answer, until an answer is taken', async () => {
    const { given, answered, said } = await asked(item, '\n   \nfine\nAPPROVE\nREJECT: too late\n');
    expect(given).toEqual([
      { type: 'decide', decision: 'fine' },
      { type: 'decide', decision: 'APPROVE' },
    ]);
    expect(answered).toBe(true);
    expect(said.match(/An empty line is no answer/gu)).toHaveLength(2);
    expect(said).toContain('Cannot decide as that is nothing');
  });

  it.each(['RETRY', 'retry: ', 'RETRY_PREDECESSOR notes', 'RETRY_PREDECESSOR notes:'])(
    'asks again after %j, which names no change',
    async (line) => {
      const { given, said } = await asked(item, `${line}\nRETRY_PREDECESSOR: more\n`);
      expect(given).toEqual([{ type: 'decide', decision: 'RETRY_PREDECESSOR: more' }]);
      expect(said).toContain('as it does not say what to change\n');
    },
  );

  it('names only the phases that the answer may send back', async () => {
    expect((await asked(item, 'APPROVE\n', undefined, [])).said).not.toContain('RETRY_PREDECESSOR');
    expect((await asked(item, 'APPROVE\n', undefined, ['notes'])).said).toContain('<what to change>   (notes)\n');
  });

  it.each(['', '\n', '\n\n', 'fine', 'fine\n'])('gives no answer if the input ends: %j', async (typed) => {
    const { answered, given } = await asked(item, typed);
    expect(answered).toBe(false);
    expect(given.filter((reply) => reply.type !== 'decide' || reply.decision !== 'fine')).toEqual([]);
  });

  it('ends if another answer came first', async () => {
    await expect(asked(item, 'APPROVE\n', new PhasegateError('ANSWERED', 'Cannot answer'))).rejects.toMatchObject({
      code: 'ANSWERED',
    });
  });

  it.each<[Partial<InboxItem>, string, Reply]>([
    [{}, 'SKIP', { type: 'skip' }],
    [{}, 'SKIP: not now', { type: 'skip', reason: 'not now' }],
    [{}, 'ABORT: enough', { type: 'abort', reason: 'enough' }],
    [{ kind: 'limit' }, 'approve', { type: 'decide', decision: 'approve' }],
    [{ kind: 'review' }, ' RETRY: more ', { type: 'decide', decision: 'RETRY: more' }],
    [{ kind: 'task' }, '{"a":1}', { type: 'value', value: { a: 1 } }],
    [{ kind: 'task' }, 'some text', { type: 'value', value: 'some text' }],
    [{ kind: 'task', choices: ['1', '2'] }, '1', { type: 'value', value: '1' }],
  ])('parses for an item with %j the line %j', async (kind, line, reply) => {
    expect((await asked({ ...item, ...kind }, `${line}\n`)).given).toEqual([reply]);
  });

  it.each(['SKIP', 'RETRY: again'])('refuses %s for a limit', async (line) => {
    const { given, said } = await asked({ ...item, kind: 'limit' }, `${line}\n`);
    expect(given).toEqual([]);
    expect(said).toContain(`Cannot decide on a limit by "${line}"`);
  });
});

// --- internal ---

/** Runs the prompt. @returns The answers that it gave for the typed text; `fine` is refused. */
async function asked(about: InboxItem, typed: string, error?: Error, targets?: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const given: Reply[] = [];
  input.end(typed);
  const give = (reply: Reply) => {
    given.push(reply);
    const isBad = reply.type === 'decide' && reply.decision === 'fine';
    const refusal = isBad ? new PhasegateError('DECISION_INVALID', 'Cannot decide as that is nothing') : error;
    return refusal ? Promise.reject(refusal) : Promise.resolve();
  };
  let said = '';
  // One read() gives all chunks on Node 20 to 24, and one of them on Node 26.
  output.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const answered = await askReply(about, give, { input, output, targets });
  output.end();
  await finished(output);
  return { answered, given, said };
}
