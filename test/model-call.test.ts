/**
 * The messages and the answer of a call of a model, in records.
 */
import { describe, expect, it } from 'vitest';
import { definePipeline, memoryStore, phase, readRun, startRun, verifyRun } from '../src/index.ts';
import { agentReviewer, agentTask, type Agent } from '../src/agents.ts';
import { openaiReviewer, openaiTask, type Ask } from '../src/openai.ts';
import { LONGEST_CALL_TEXT, modelCallIn, reportCall } from '../src/model/handlers/model-call.ts';
import type { Report } from '../src/model/handlers/task.ts';
import type { RunRecord } from '../src/records.ts';

const usage = { inputTokens: 30, outputTokens: 4 };
const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
const draft = openaiTask('draft', { ask: () => Promise.resolve({ text: 'Gates help.', usage }), model: 'small' });

/** Answers with a verdict that rejects, with a secret in its words. */
const rejecting: Ask = ({ messages }) => {
  const nonce = /"nonce": "([^"]+)"/u.exec(messages[0]?.content ?? '')?.[1];
  const answer = { nonce, verdict: 'reject', critique: `It shows ${SECRET}.`, conf: 1 };
  return Promise.resolve({ text: JSON.stringify(answer), usage });
};

/** Returns the calls in records, with their task. */
function callsIn(records: readonly RunRecord[]) {
  return records.flatMap(({ event }) => {
    if (event.type !== 'task.reported') return [];
    const call = modelCallIn(event.artifact?.content);
    return call ? [{ task: event.task, reviewer: event.reviewer, name: event.artifact?.name, ...call }] : [];
  });
}

async function recordsOf(options: { readonly ask: Ask; readonly recordCalls?: boolean }, work = draft) {
  const store = memoryStore();
  const editor = openaiReviewer('editor', { criteria: 'It names a number.', model: 'judge', ...options });
  const pipeline = definePipeline({
    name: 'p',
    phases: [phase('note', { tasks: [work], review: { by: editor, maxReviewErrors: 0 } })],
  });
  await startRun(pipeline, { store, runId: 'r' }).result;
  return { records: await readRun(store, 'r'), store };
}

describe('the records of a review by a model', () => {
  it('have its messages, its answer, its model and its tokens, with secrets masked', async () => {
    const { records, store } = await recordsOf({ ask: rejecting });
    const [call, ...others] = callsIn(records);
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      task: 'editor',
      reviewer: true,
      name: 'model call of editor',
      model: 'judge',
      ...usage,
    });
    expect(call?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(call?.messages[0]?.content).toContain('It names a number.');
    expect(call?.messages[1]?.content).toContain('Gates help.');
    expect(call?.answer).toMatch(/"verdict":"reject","critique":"It shows \[/u);
    expect(JSON.stringify(records)).not.toContain(SECRET);
    expect((await verifyRun(store, 'r')).problems).toEqual([]);
  });

  it('have an answer that is no verdict', async () => {
    const { records } = await recordsOf({ ask: () => Promise.resolve({ text: 'Looks fine to me.' }) });
    expect(callsIn(records).map(({ answer }) => answer)).toEqual(['Looks fine to me.']);
  });

  it('have none of it with `recordCalls: false`', async () => {
    const { records } = await recordsOf({ ask: rejecting, recordCalls: false });
    expect(callsIn(records)).toEqual([]);
    expect(records.some(({ event }) => event.type === 'task.reported' && event.artifact)).toBe(false);
  });
});

describe('the records of a task by a model', () => {
  it('have its messages and its answer with `recordCalls`', async () => {
    const work = openaiTask('draft', {
      description: 'Write.',
      instructions: 'You write notes.',
      recordCalls: true,
      ask: () => Promise.resolve({ text: 'Gates help.' }),
    });
    const { records } = await recordsOf({ ask: rejecting, recordCalls: false }, work);
    const call = { task: 'draft', reviewer: false, name: 'model call of draft', answer: 'Gates help.' };
    const messages = [
      { role: 'system', content: 'You write notes.' },
      { role: 'user', content: 'Write.' },
    ];
    expect(callsIn(records)).toEqual([{ ...call, messages }]);
  });
});

describe('the records of a turn of an agent', () => {
  it('have its prompt and its answer, of a reviewer by default', async () => {
    const agent: Agent = {
      name: 'own',
      reports: { tokens: false, cost: false },
      access: ['read', 'write'],
      run: ({ access }) =>
        Promise.resolve(
          access === 'read' ? { stop: 'done', text: 'No verdict.' } : { stop: 'done', text: '', value: { done: [1] } },
        ),
    };
    const workspace = process.cwd();
    const silent = agentTask('silent', { agent, workspace, description: 'Work.' });
    const told = agentTask('told', { agent, workspace, description: 'Tell.', recordCalls: true });
    const by = agentReviewer('judge', { agent, workspace, criteria: 'It names a number.' });
    const store = memoryStore();
    const work = phase('work', { tasks: [silent, told], review: { by, maxReviewErrors: 0 } });
    await startRun(definePipeline({ name: 'p', phases: [work] }), { store, runId: 'r' }).result;
    const calls = callsIn(await readRun(store, 'r'));
    // An unusable verdict is asked for once more.
    expect(calls.map(({ task: name, answer }) => [name, answer])).toEqual([
      ['told', '{"done":[1]}'],
      ['judge', 'No verdict.'],
      ['judge', 'No verdict.'],
    ]);
    expect(calls[0]?.messages.map(({ role }) => role)).toEqual(['user']);
    expect(calls[0]?.messages[0]?.content).toContain('Tell.');
    expect(calls[1]?.messages[0]?.content).toContain('It names a number.');
  });
});

describe('the record of a call', () => {
  it('is cut in the middle, after secrets are masked', () => {
    const reports: Report[] = [];
    // The end of the head is within the secret.
    const text = `${'a '.repeat(LONGEST_CALL_TEXT / 4 - 24)} ${SECRET} ${'b '.repeat(LONGEST_CALL_TEXT)}`;
    reportCall((one) => reports.push(one), 't', { messages: [{ role: 'user', content: text }], answer: text });
    const call = modelCallIn(reports[0]?.artifact?.content);
    expect(call?.messages[0]?.content.length).toBeLessThanOrEqual(LONGEST_CALL_TEXT);
    expect(call?.answer.length).toBeLessThanOrEqual(LONGEST_CALL_TEXT);
    expect(call?.answer).toMatch(/\[… \d+ characters left out …\]/u);
    expect(JSON.stringify(reports)).not.toContain('sk-');
  });

  it.each([
    null,
    'model.call',
    { type: 'model.call' },
    { type: 'other', messages: [], answer: '' },
    { type: 'model.call', messages: [{ role: 1, content: '' }], answer: '' },
    { type: 'model.call', messages: {}, answer: '' },
    { type: 'model.call', messages: [], answer: 1 },
  ])('is not read from %j', (content) => {
    expect(modelCallIn(content)).toBeUndefined();
  });
});
