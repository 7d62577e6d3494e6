/** The bytes of an agent that speaks the Agent Client Protocol, in any pieces. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMessageStream } from '../../src/acp/message-stream.ts';

const MOST = 400;

const update = (one: object) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: one } });
const text = (words: string) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });

/** Updates, a question, a response nobody asked for, lines that are no messages, one that is too long, and one without an end. */
const LINES = [
  JSON.stringify(text('Ünïcödé 😀 and a "quote"')),
  'no JSON {',
  '',
  JSON.stringify(update({ sessionUpdate: 'unknown_kind', text: '\u2028' })),
  `${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'session/request_permission', params: { é: 1 } })}\r`,
  JSON.stringify({ jsonrpc: '2.0', id: 99, result: {} }),
  JSON.stringify(text('x'.repeat(MOST))),
  JSON.stringify(text('last')),
];
const BYTES = Buffer.from(LINES.join('\n'));

/** Reads pieces. @returns Updates, what is told as raw, and the messages of the connection, in order of their kinds. */
async function readIn(pieces: readonly Uint8Array[]): Promise<readonly (readonly unknown[])[]> {
  const updates: unknown[] = [];
  const told: unknown[] = [];
  const made = createMessageStream({ write: () => undefined, end: () => undefined }, MOST, {
    update: (params) => void updates.push(params),
    tell: (event) => void told.push(event),
  });
  for (const piece of pieces) made.push(piece);
  made.end();
  const messages: unknown[] = [];
  for (
    let reader = made.stream.readable.getReader(), next = await reader.read();
    !next.done;
    next = await reader.read()
  )
    messages.push(next.value);
  return [updates, told, messages];
}

it('an agent of the protocol means the same, however its bytes are divided', async () => {
  const whole = await readIn([BYTES]);
  expect(whole.map(({ length }) => length)).toEqual([3, 3, 1]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: BYTES.length }), { maxLength: 40 }), async (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), BYTES.length];
      expect(await readIn(cuts.slice(1).map((end, at) => BYTES.subarray(cuts[at], end)))).toEqual(whole);
    }),
  );
});
