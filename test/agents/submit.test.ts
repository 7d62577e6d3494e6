/** The tool `submit`, called by a scripted agent that really starts its server. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acpAgent } from '../../src/acp.ts';
import { withSubmission } from '../../src/agents/submit/submission.ts';
import { answerTo, type Tool } from '../../src/agents/submit/tool-server.ts';
import { agentReviewer, agentTask, type AgentResult } from '../../src/agents.ts';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import { acpText } from './lines.ts';
import { scripted } from './rig.ts';
import type { Step } from './script.ts';

const END: Step = { type: 'stop', response: { stopReason: 'end_turn' } };
const submit = (...values: readonly unknown[]): Step => ({ type: 'submit', values });
const say = (text: string): Step => ({ type: 'json', line: acpText(text) });
const SCHEMA = { name: 'answer', strict: true, schema: { type: 'object', properties: { n: { type: 'number' } } } };
const DONE: AgentResult = { stop: 'done', text: 'Done.' };

/** Runs a task with a schema by an agent that takes these turns. */
async function answerOf(output: z.ZodType, ...turns: readonly (readonly Step[])[]) {
  const { program, cwd, asked } = scripted(...turns);
  const [command, ...args] = program;
  const told: string[] = [];
  const agent = acpAgent({ command, args: [...args, '--acp'], name: 'acp' });
  const onEvent = (event: { readonly type: string; readonly text?: unknown }) =>
    void (event.type === 'text' && told.push(String(event.text)));
  const make = agentTask('make', { agent, workspace: cwd, description: 'Make it.', output, onEvent });
  const { outputs, phases } = await startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] }))
    .result;
  return { output: outputs['build']?.make, error: phases['build']?.error, asked: asked(), told };
}

describe('an agent of ACP with a schema', () => {
  const output = z.object({ files: z.array(z.string()).min(1), note: z.string() });

  it('submits its answer, and corrects it', async () => {
    const right = { files: ['a.ts'], note: 'é "quoted"\nline' };
    const done = await answerOf(output, [submit({ files: [] }, { ...right, files: [] }, right), say('Done.'), END]);
    expect(done.output).toEqual(right);
    expect(done.asked).toHaveLength(1);
    expect(done.asked[0]?.prompt).toMatch(
      /code fence[^]*\n\nIf you have the tool `submit` of the MCP server `phasegate-/u,
    );
    const [tools = '', ...answers] = done.told;
    expect(JSON.parse(tools)).toEqual([
      {
        name: 'submit',
        description: expect.any(String) as string,
        inputSchema: expect.objectContaining({ type: 'object', required: ['files', 'note'] }) as object,
      },
    ]);
    expect(answers[0]).toContain('note: ');
    expect(answers[1]).toContain('"isError":true');
    expect(answers[2]).toContain('"isError":false');
  });

  it('submits a value that is no object as one', async () => {
    expect((await answerOf(z.number().max(3), [submit({ value: 7 }, { value: 2 }), END])).output).toBe(2);
  });

  it('keeps its right answer if a later one is wrong', async () => {
    expect((await answerOf(z.number().max(3), [submit({ value: 2 }, { value: 7 }), END])).output).toBe(2);
  });

  it('may answer in a code fence, and is asked to repair that', async () => {
    const done = await answerOf(z.number(), [say('It is two.'), END], [say('```json\n{"value":2}\n```'), END]);
    expect([done.output, done.asked.length]).toEqual([2, 2]);
  });

  it('may submit its repair', async () => {
    const done = await answerOf(z.number(), [say('It is two.'), END], [submit({ value: 2 }), END]);
    expect([done.output, done.asked.length]).toEqual([2, 2]);
  });

  it('has five wrong answers, and then its text counts', async () => {
    const wrong = Array.from({ length: 6 }, () => ({ value: 'x' }));
    const done = await answerOf(z.number(), [submit(...wrong), say('```json\n{"value":2}\n```'), END]);
    expect(done.told.filter((line) => line.includes('cannot be used'))).toHaveLength(5);
    expect(done.told.at(-2)).toContain('Too many answers were wrong');
    expect([done.output, done.asked.length]).toEqual([2, 1]);
  });

  it('is offered no tool without a schema', async () => {
    const { program, cwd } = scripted([submit({}), END]);
    const [command, ...args] = program;
    const make = agentTask('make', { agent: acpAgent({ command, args: [...args, '--acp'] }), workspace: cwd });
    const { outputs } = await startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] }))
      .result;
    expect(outputs['build']?.make).toBe('no server\n');
  });
});

it('a reviewer submits its verdict, and learns that the nonce is missing', async () => {
  const verdict = { verdict: 'approved', critique: 'Fine.', conf: 1, issues: [] };
  const { program, cwd } = scripted([submit({ ...verdict, nonce: 'x' }, { ...verdict, nonce: '<nonce>' }), END]);
  const [command, ...args] = program;
  const told: string[] = [];
  const judge = agentReviewer('judge', {
    agent: acpAgent({ command, args: [...args, '--acp'] }),
    workspace: cwd,
    criteria: 'Good.',
    onEvent: (event) => void (event.type === 'text' && told.push(event.text)),
  });
  const build = phase('build', { tasks: [{ kind: 'task', name: 'make', options: { run: () => 1 } }], review: judge });
  expect((await startRun(definePipeline({ name: 'p', phases: [build] })).result).status).toBe('completed');
  expect(told[1]).toContain('does not repeat the nonce');
});

describe('the question for permission to submit', () => {
  const asks = (toolCall: object): Step => ({ type: 'ask', toolCall: { toolCallId: 't1', ...toolCall } });

  it.each([
    ['is allowed for the tool of the turn', { kind: 'other', title: '<server> - submit' }, 'allow_once'],
    ['is allowed for a name of the protocol', { kind: 'other', title: ' mcp__<server>__submit' }, 'allow_once'],
    ['is allowed for a name with its server', { kind: 'other', title: 'submit (<server> MCP Server)' }, 'allow_once'],
    ['is rejected for more than the tool', { kind: 'other', title: 'rm -rf / # <server> - submit' }, 'reject_once'],
    ['is rejected for another tool of the server', { kind: 'other', title: '<server> - delete' }, 'reject_once'],
    ['is rejected for a server of another name', { kind: 'other', title: 'phasegate - submit' }, 'reject_once'],
    ['is rejected for a command', { kind: 'execute', title: 'rm -rf <server>' }, 'reject_once'],
  ])('%s', async (_, toolCall, expected) => {
    const done = await answerOf(z.number(), [asks(toolCall), submit({ value: 2 }), END]);
    expect(done.told[0]).toContain(expected);
  });
});

describe('answerTo()', () => {
  const calls: unknown[] = [];
  const tool: Tool = {
    name: 'submit',
    description: 'd',
    inputSchema: { type: 'object' },
    call: (given) => {
      calls.push(given);
      return Promise.resolve({ text: 'ok', isError: false });
    },
  };
  const ask = async (message: object | string) => {
    const line = await answerTo(typeof message === 'string' ? message : JSON.stringify(message), tool);
    return line === undefined ? undefined : (JSON.parse(line) as unknown);
  };

  it.each([
    ['a version that it knows', '2024-11-05', '2024-11-05'],
    ['a version from the future', '2030-01-01', '2025-11-25'],
    ['no version', undefined, '2025-11-25'],
  ])('greets with %s', async (_, protocolVersion, expected) => {
    expect(await ask({ id: 1, method: 'initialize', params: { protocolVersion } })).toMatchObject({
      id: 1,
      result: { protocolVersion: expected, capabilities: { tools: {} } },
    });
  });

  it.each([
    ['what is no JSON', 'hello', { id: null, error: { code: -32_700 } }],
    ['an unknown method', { id: 'a', method: 'server/discover' }, { id: 'a', error: { code: -32_601 } }],
    ['another tool', { id: 2, method: 'tools/call', params: { name: 'rm' } }, { id: 2, error: { code: -32_602 } }],
    ['a ping', { id: 3, method: 'ping' }, { id: 3, result: {} }],
    ['a notification', { method: 'notifications/cancelled' }, undefined],
    ['a response', { id: 4, result: {} }, undefined],
    ['a list', '[1]', undefined],
  ])('answers %s', async (_, message, expected) => {
    const answer = await ask(message);
    if (expected === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatchObject(expected);
  });

  it('tells the tool of a key that occurs twice', async () => {
    await ask('{"id":5,"method":"tools/call","params":{"name":"submit","arguments":{"n":1,"n":2}}}');
    expect(calls.at(-1)).toEqual({ value: { n: 2 }, problem: expect.stringContaining('it has "n" twice') as string });
  });
});

describe('the place of the server', () => {
  it('is gone after the turn, and connections end', async () => {
    let path = '';
    let ended: Promise<unknown> | undefined;
    await withSubmission({ schema: SCHEMA }, async (offered) => {
      path = offered?.server.args.at(-1) ?? '';
      const socket = connect(path);
      ended = new Promise((resolve) => void socket.on('close', resolve));
      await new Promise((resolve) => void socket.on('connect', resolve));
      return DONE;
    });
    await ended;
    const error = await new Promise((resolve) => void connect(path).on('error', resolve));
    expect(error).toMatchObject({ code: 'ENOENT' });
  });

  it('ends a connection with a message that is too long', async () => {
    await withSubmission({ schema: SCHEMA }, async (offered) => {
      const socket = connect(offered?.server.args.at(-1) ?? '').on('error', () => undefined);
      socket.write(Buffer.alloc(9 * 1024 * 1024, 'x'));
      socket.write('\n');
      await new Promise((resolve) => void socket.on('close', resolve));
      return DONE;
    });
  });
});
