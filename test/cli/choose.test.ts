/** Answers that are chosen by arrow keys. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definePipeline, escalate, human, phase, startRun, task } from '../../src/index.ts';
import type { Pipeline } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files } from './cli.ts';
import { onTerminal, python, type Screen } from './pty.ts';

const DOWN = '\x1b[B';

describe.skipIf(!python)('phasegate inbox answer, on a terminal', () => {
  it('offers each possible answer with its consequence, and sends the chosen one', async () => {
    const store = await waiting(letter());
    const { code, text } = await choose(store, { 'leave it open': DOWN, '● approve': '\r' });
    expect(text).toContain('Is it good?');
    expect(text).toContain('the outputs of this attempt are committed');
    expect(text).toContain('answered; it is applied when the run resumes');
    expect(code).toBe(0);
    expect(await saidTo(store)).toEqual([{ type: 'decide', decision: { type: 'approve' } }]);
  });

  it('asks for text if it is required, and refuses an empty one', async () => {
    const store = await waiting(letter());
    const { code } = await choose(store, {
      'leave it open': DOWN.repeat(3),
      '● retry': '\r',
      'What to change?': '\r',
      'Write something': 'shorter\r',
    });
    expect(code).toBe(0);
    expect(await saidTo(store)).toMatchObject([{ decision: { type: 'retry', feedback: 'shorter' } }]);
  });

  it('asks again if the answer is invalid', async () => {
    const store = await waiting(letter());
    const { code, text } = await choose(store, {
      'leave it open': DOWN.repeat(2),
      '● edit': '\r',
      'A JSON file': 'nowhere.json\r',
      'Cannot read nowhere.json': '\x1b',
    });
    expect(text).toContain('The item is still open.');
    expect(code).toBe(2);
    expect(await saidTo(store)).toEqual([]);
  });

  it('offers the choices of the item', async () => {
    const store = await waiting(asked());
    const { code } = await choose(store, {
      'leave it open': DOWN,
      '● value': '\r',
      'Which one?': DOWN.repeat(2),
      '● A5': '\r',
    });
    expect(code).toBe(0);
    expect(await saidTo(store)).toEqual([{ type: 'value', value: 'A5' }]);
  });

  it.each([
    ['Enter', { 'leave it open': '\r' }],
    ['Ctrl-C', { 'leave it open': '\x03' }],
    ['Ctrl-D', { 'leave it open': '\x04' }],
    ['Escape', { 'leave it open': '\x1b' }],
    ['a letter and Ctrl-C', { 'leave it open': 'y\x03' }],
    ['Ctrl-C at the choice of approving', { 'leave it open': DOWN, '● approve': '\x03' }],
    ['Ctrl-D at the choice of approving', { 'leave it open': DOWN, '● approve': '\x04' }],
    ['Ctrl-D in the middle of words', { 'leave it open': DOWN.repeat(3), '● retry': '\r', 'What to change?': '\x04' }],
  ])('answers nothing by %s', async (_, keys) => {
    const store = await waiting(letter());
    const { code, text } = await choose(store, keys);
    expect(text).toContain('The item is still open.');
    expect(code).toBe(2);
    expect(await saidTo(store)).toEqual([]);
  });

  it('asks for a line if the terminal has no cursor control', async () => {
    const store = await waiting(letter());
    const { code } = await choose(store, { 'Answer with one of these lines': 'REJECT: no\n' }, { TERM: 'dumb' });
    expect(code).toBe(0);
    expect(await saidTo(store)).toMatchObject([{ decision: { type: 'reject', reason: 'no' } }]);
  });
});

// --- internal ---

function letter(): Pipeline<unknown> {
  const draft = phase('draft', {
    tasks: [task('text', { run: () => 'text' })],
    review: ({ attempt }) => (attempt === 0 ? escalate('Is it\x1b[31m good?') : 'APPROVE'),
  });
  return definePipeline({ name: 'letter', phases: [draft] });
}

function asked(): Pipeline<unknown> {
  const run = human<string>({ question: 'Which paper?', choices: ['A4', 'A5'] });
  return definePipeline({ name: 'paper', phases: [phase('draft', { tasks: [task('text', { run })] })] });
}

/** Stores a run that waits for a person and has no process. @returns The file of the store. */
async function waiting(pipeline: Pipeline<unknown>): Promise<string> {
  const file = join(await files({}), 'runs.db');
  const store = sqliteStore(file);
  const run = startRun(pipeline, { store, runId: 'r' });
  for await (const { event } of run) if (event.type === 'phase.escalated' || event.type === 'task.asked') run.suspend();
  await run.result;
  await store.close();
  return file;
}

async function choose(store: string, keys: Readonly<Record<string, string>>, env = {}): Promise<Screen> {
  return onTerminal(['inbox', 'answer', 'r', '--store', store], keys, { NO_COLOR: '1', ...env });
}

/** Returns the answers that are pending for the run. */
async function saidTo(file: string): Promise<readonly unknown[]> {
  const store = sqliteStore(file);
  const messages = await store.messages('r');
  await store.close();
  return messages.map(({ body }) => (typeof body === 'object' && body !== null && 'reply' in body ? body.reply : body));
}
