/**
 * Agents that speak the Agent Client Protocol: permissions, updates, modes, errors.
 *
 * @module
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { acpAgent, type AcpAgentOptions } from '../../src/acp.ts';
import { loadAcp } from '../../src/acp/conversation.ts';
import { agentReviewer, agentTask, type AgentEvent, type AgentResult, type AgentTurn } from '../../src/agents.ts';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import { acpText, acpUpdate } from './lines.ts';
import { scripted, type Scripted } from './rig.ts';
import type { Step } from './script.ts';

const END: Step = { type: 'stop', response: { stopReason: 'end_turn' } };
const say = (text: string): Step => ({ type: 'json', line: acpText(text) });
const update = (one: object): Step => ({ type: 'json', line: acpUpdate(one) });

it('a required change is verbatim in the prompt of the next attempt', async () => {
  const { program, cwd, asked } = scripted([say('Done.'), END], [say('Done '), say('again.'), END]);
  const build = phase('build', {
    tasks: [agentTask('make', { agent: agentOf(program), workspace: cwd, description: 'Make it.' })],
    review: ({ attempt }) =>
      attempt === 0 ? { type: 'retry', feedback: 'No.', requiredChange: 'Use "two" colons:: é.' } : 'APPROVE',
  });
  const { outputs } = await startRun(definePipeline({ name: 'p', phases: [build] })).result;
  expect(outputs).toEqual({ build: { make: 'Done again.' } });
  expect(asked()[1]?.prompt).toContain('Use "two" colons:: é.');
});

it('a reviewer is asked in its mode for reading, and approves with the nonce only', async () => {
  const verdict = { nonce: '<nonce>', verdict: 'approved', critique: 'Fine.', conf: 1, issues: [] };
  const { program, cwd, asked } = scripted(
    [say(JSON.stringify({ ...verdict, nonce: 'x' })), END],
    [say(`Well.\n\`\`\`json\n${JSON.stringify(verdict)}\n\`\`\``), END],
  );
  const judge = agentReviewer('judge', {
    agent: agentOf(program, { readMode: 'ask' }),
    workspace: cwd,
    criteria: 'Good.',
  });
  const build = phase('build', { tasks: [agentTaskOf()], review: judge });
  expect((await startRun(definePipeline({ name: 'p', phases: [build] })).result).status).toBe('completed');
  expect(asked().map(({ args }) => args)).toEqual([
    ['--acp', 'mode:ask'],
    ['--acp', 'mode:ask'],
  ]);
});

describe('updates', () => {
  it('become events, and no line of the console', async () => {
    const printed = vi.spyOn(console, 'error');
    const call = {
      toolCallId: 't1',
      title: 'Edit a.ts',
      kind: 'edit',
      status: 'pending',
      locations: [{ path: 'a.ts' }],
    };
    const diff = { type: 'diff', path: 'a.ts', oldText: 'a', newText: 'b' };
    const { events, result } = await turnOf([
      update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } }),
      update({ sessionUpdate: 'plan', entries: [{ content: 'Edit it', status: 'in_progress', priority: 'high' }] }),
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I begin.' }, messageId: 'm1' }),
      update({ sessionUpdate: 'tool_call', ...call }),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', content: [diff] }),
      update({ sessionUpdate: 'usage_update', used: 1200, size: 200_000, cost: { amount: 0.5, currency: 'USD' } }),
      update({ sessionUpdate: 'usage_update', used: 1300, size: 200_000, cost: { amount: 3, currency: 'EUR' } }),
      update({ sessionUpdate: 'current_mode_update', currentModeId: 'code' }),
      update({ sessionUpdate: 'hologram', shape: 'cube' }),
      { type: 'json', line: { jsonrpc: '2.0', method: 'from/the/future', params: {} } },
      { type: 'json', line: { jsonrpc: '2.0', id: 'never asked', result: {} } },
      { type: 'json', line: { jsonrpc: '1.0', id: 1 } },
      { type: 'json', line: [1] },
      say('It is '),
      say('done.'),
      {
        type: 'stop',
        response: { stopReason: 'end_turn', usage: { inputTokens: 100, outputTokens: 20, totalTokens: 130 } },
      },
    ]);
    expect(events).toEqual([
      { type: 'thought', text: 'Hm.' },
      { type: 'plan', steps: [{ text: 'Edit it', status: 'running' }] },
      { type: 'text', text: 'I begin.' },
      { type: 'tool', id: 't1', kind: 'edit', title: 'Edit a.ts', status: 'running', paths: ['a.ts'] },
      {
        type: 'tool',
        id: 't1',
        kind: 'edit',
        title: 'Edit a.ts',
        status: 'done',
        paths: ['a.ts'],
        diff: { path: 'a.ts', before: 'a', after: 'b' },
      },
      { type: 'usage', costUsd: 0.5 },
      { type: 'raw', because: 'unknown', text: '{"sessionUpdate":"hologram","shape":"cube"}' },
      { type: 'raw', because: 'unknown', text: '{"jsonrpc":"2.0","id":"never asked","result":{}}' },
      { type: 'raw', because: 'notJson', text: '{"jsonrpc":"1.0","id":1}' },
      { type: 'raw', because: 'notJson', text: '[1]' },
      { type: 'text', text: 'It is ' },
      { type: 'text', text: 'done.' },
      { type: 'usage', inputTokens: 100, outputTokens: 30, costUsd: 0.5 },
    ]);
    expect(result).toMatchObject({ stop: 'done', text: 'It is done.', usage: { inputTokens: 100, costUsd: 0.5 } });
    expect(printed.mock.calls).toEqual([]);
    printed.mockRestore();
  });
});

describe('a question for permission', () => {
  const edit = (path: string) => ({ toolCallId: 't1', kind: 'edit', title: 'Edit', locations: [{ path }] });
  const run = { toolCallId: 't1', kind: 'execute', title: 'npm test' };
  const fetch = { toolCallId: 't1', kind: 'fetch', title: 'Fetch' };

  it.each<readonly [string, object, Partial<AgentTurn>, 'allow' | 'reject']>([
    ['a file of the directory', edit('a/b.ts'), {}, 'allow'],
    ['a file of the directory, in a turn that only reads', edit('a.ts'), { access: 'read' }, 'reject'],
    ['a file to read, in a turn that only reads', { ...edit('a.ts'), kind: 'read' }, { access: 'read' }, 'allow'],
    ['a file above the directory', edit('../a.ts'), {}, 'reject'],
    ['a file that is called ..x', edit('..x'), {}, 'allow'],
    ['a file above it, with `outside`', edit('../a.ts'), { permissions: { outside: 'allow' } }, 'allow'],
    ['a file behind a link that leads out', edit('out/a.ts'), {}, 'reject'],
    ['a file to read behind a link that leads out', { ...edit('out/a.ts'), kind: 'read' }, {}, 'reject'],
    ['a hook of git', edit('.git/hooks/pre-commit'), {}, 'reject'],
    ['a hook of git behind a link', edit('hooks/pre-commit'), {}, 'reject'],
    ['a hook of git, with `outside`', edit('.GIT/hooks/x'), { permissions: { outside: 'allow' } }, 'reject'],
    ['an edit of no file', { ...edit('a'), locations: [] }, {}, 'reject'],
    ['a call of no kind', { toolCallId: 't1', locations: [{ path: 'a' }] }, {}, 'reject'],
    [
      'two files, one of them outside',
      { ...edit('a'), locations: [{ path: 'a' }, { path: '/etc/passwd' }] },
      {},
      'reject',
    ],
    ['a diff outside', { ...edit('a'), content: [{ type: 'diff', path: '/etc/passwd', newText: 'x' }] }, {}, 'reject'],
    ['a command', run, {}, 'reject'],
    ['a command, with `commands`', run, { permissions: { commands: 'allow' } }, 'allow'],
    ['the network', fetch, {}, 'reject'],
    ['the network, with `network`', fetch, { permissions: { network: 'allow' } }, 'allow'],
    [
      'a command that `ask` allows',
      run,
      { permissions: { ask: ({ title }) => (title === 'npm test' ? 'allow' : 'reject') } },
      'allow',
    ],
    ['a command that `ask` allows later', run, { permissions: { ask: () => Promise.resolve('allow') } }, 'allow'],
    ['a command whose `ask` fails', run, { permissions: { ask: () => Promise.reject(new Error('no')) } }, 'reject'],
  ])('about %s', async (_, toolCall, turn, expected) => {
    const { events, result } = await turnOf([{ type: 'ask', toolCall }, END], turn);
    expect(events).toContainEqual(expect.objectContaining({ type: 'permission', answered: expected }));
    expect(JSON.parse(result.text)).toEqual({ outcome: { outcome: 'selected', optionId: `${expected}_once` } });
  });

  it('is about the paths of the call that it continues', async () => {
    const call = {
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      kind: 'edit',
      title: 'Edit',
      locations: [{ path: '/etc/passwd' }],
    };
    const { result } = await turnOf([
      update(call),
      { type: 'ask', toolCall: { toolCallId: 't1', locations: [{ path: 'a' }] } },
      END,
    ]);
    expect(result.text).toContain('reject_once');
  });

  it('is never allowed for always, and is cancelled if it cannot be rejected', async () => {
    const options = [{ optionId: 'a', name: 'Always', kind: 'allow_always' }];
    const { events, result } = await turnOf([{ type: 'ask', toolCall: edit('a.ts'), options }, END]);
    expect(JSON.parse(result.text)).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(events).toContainEqual({ type: 'permission', asked: 'Edit', answered: 'reject' });
  });
});

it.each([
  ['an unknown reason to stop', { type: 'stop', response: { stopReason: 'bored' } }, /unknown reason: "bored"/u],
  ['an error', { type: 'error', code: -32_603, message: 'Internal error' }, /error -32603: Internal error/u],
  ['a missing login', { type: 'error', code: -32_000, message: 'Authentication required' }, /error -32000/u],
] as const)('%s is no success', async (_, step, message) => {
  await expect(turnOf([say('Fine.'), step])).rejects.toMatchObject({
    code: 'AGENT_FAILED',
    message: expect.stringMatching(message) as string,
    permanent: step.type === 'error' && step.code === -32_000,
  });
});

it('an agent is asked to end its turn before it is stopped', async () => {
  const cancelling = new AbortController();
  const { program, cwd, asked } = scripted([say('Working.'), { type: 'hang' }]);
  const result = await agentOf(program).run({
    ...TURN,
    cwd,
    signal: cancelling.signal,
    onEvent: () => cancelling.abort(),
  });
  expect(result).toMatchObject({ stop: 'cancelled' });
  expect(asked().map(({ prompt }) => prompt)).toEqual(['Do it.', 'session/cancel']);
});

it('names the missing package and its version, and no other problem', async () => {
  const missing = (name: string) =>
    Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadAcp(() => Promise.reject(missing('@agentclientprotocol/sdk')))).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    hint: 'Run `npm install @agentclientprotocol/sdk@^2.4.0`.',
  });
  await expect(loadAcp(() => Promise.reject(missing('zod')))).rejects.toThrow("Cannot find package 'zod'");
});

// --- internal ---

const TURN = {
  prompt: 'Do it.',
  signal: new AbortController().signal,
  access: 'write',
  permissions: {},
} as const;

function agentOf([command, ...args]: Scripted['program'], more: Partial<AcpAgentOptions> = {}) {
  return acpAgent({ command, args: [...args, '--acp'], name: 'acp', ...more });
}

function agentTaskOf() {
  const { program, cwd } = scripted([say('Done.'), END]);
  return agentTask('make', { agent: agentOf(program), workspace: cwd });
}

/** Takes a turn of these steps, in a directory with a repository and links. */
async function turnOf(
  steps: readonly Step[],
  more: Partial<AgentTurn> = {},
): Promise<{ readonly events: readonly AgentEvent[]; readonly result: AgentResult }> {
  const { program, cwd, file } = scripted(steps);
  mkdirSync(file('outside'));
  mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
  symlinkSync(file('outside'), join(cwd, 'out'));
  symlinkSync(join(cwd, '.git', 'hooks'), join(cwd, 'hooks'));
  const events: AgentEvent[] = [];
  const result = await agentOf(program).run({ ...TURN, cwd, onEvent: (event) => void events.push(event), ...more });
  return { events: events.map((event) => JSON.parse(JSON.stringify(event)) as AgentEvent), result };
}
