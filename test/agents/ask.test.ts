/** Questions of agents for permission, as items of the inbox. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { acpAgent } from '../../src/acp.ts';
import { agentReviewer, agentTask, type PermissionPolicy } from '../../src/agents.ts';
import { answerItem } from '../../src/inbox.ts';
import { definePipeline, phase, resumeRun, startRun, type Run } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { phasegate } from '../cli/cli.ts';
import { acpText } from './lines.ts';
import { scripted, type Scripted } from './rig.ts';
import type { Step } from './script.ts';

const END: Step = { type: 'stop', response: { stopReason: 'end_turn' } };
const say = (text: string): Step => ({ type: 'json', line: acpText(text) });
const ask = (toolCall: object): Step => ({ type: 'ask', toolCall: { toolCallId: 't1', ...toolCall } });
const TESTS = { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } };

function agentOf([command, ...args]: Scripted['program']) {
  return acpAgent({ command, args: [...args, '--acp'], name: 'coder', silence: 3000 });
}

/** The pipeline of a task whose agent takes these turns. */
function pipelineOf(
  { program, cwd }: Scripted,
  permissions: PermissionPolicy = { commands: 'ask' },
  retry: { readonly attempts: number } = { attempts: 1 },
) {
  const make = agentTask('make', { agent: agentOf(program), workspace: cwd, permissions, retry });
  return definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] });
}

/** Waits for the only open item of a run. */
async function itemOf(run: Pick<Run<unknown>, 'inbox'>) {
  return vi.waitFor(
    () => {
      const [item, ...more] = run.inbox();
      if (!item || more.length > 0) throw new Error(`There are ${run.inbox().length} items`);
      return item;
    },
    { timeout: 20_000, interval: 10 },
  );
}

async function answerOf(steps: readonly Step[], value: string, permissions?: PermissionPolicy) {
  const run = startRun(pipelineOf(scripted(steps), permissions), { runId: 'r1' });
  const item = await itemOf(run);
  await run.answer(item.id, { type: 'value', value });
  const { outputs } = await run.result;
  return { item, told: outputs['build']?.make, inbox: run.inbox() };
}

describe('a question for permission whose rule is "ask"', () => {
  it('is an item of the inbox, and is allowed once', async () => {
    const { item, told, inbox } = await answerOf([ask(TESTS), END], 'allow once');
    expect(item).toMatchObject({
      kind: 'task',
      runId: expect.stringMatching(/^r1\/build\/0\.task\.question-1-1-[0-9a-f]{16}\/0\/task\/make$/u) as string,
      reason: 'May agent "coder" do this (execute): npm test',
      choices: ['allow once', 'reject'],
    });
    expect(item.description).toContain('"command": "npm test"');
    expect(told).toContain('allow_once');
    expect(inbox).toEqual([]);
  });

  it('is rejected', async () => {
    expect((await answerOf([ask(TESTS), END], 'reject')).told).toContain('reject_once');
  });

  it('takes no other answer', async () => {
    const run = startRun(pipelineOf(scripted([ask(TESTS), END])));
    const item = await itemOf(run);
    await expect(run.answer(item.id, { type: 'value', value: 'yes' })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    run.cancel();
    await run.result;
  });

  it('is rejected if nobody answers in time', async () => {
    const run = startRun(pipelineOf(scripted([ask(TESTS), END]), { commands: 'ask', answerWithin: 1 }));
    expect((await run.result).outputs['build']?.make).toContain('reject_once');
  });

  it('is asked again if it is asked twice', async () => {
    const run = startRun(pipelineOf(scripted([ask(TESTS), ask(TESTS), END])));
    const first = await itemOf(run);
    await run.answer(first.id, { type: 'value', value: 'allow once' });
    const second = await vi.waitFor(async () => {
      const item = await itemOf(run);
      expect(item.id).not.toBe(first.id);
      return item;
    });
    await run.answer(second.id, { type: 'value', value: 'reject' });
    expect((await run.result).outputs['build']?.make).toMatch(/allow_once[^]*reject_once/u);
  });

  it('waits for longer than the agent may be silent', async () => {
    const steps = [ask(TESTS), END];
    const { program, cwd } = scripted(steps);
    const [command, ...args] = program;
    const agent = acpAgent({ command, args: [...args, '--acp'], silence: 1500 });
    const make = agentTask('make', { agent, workspace: cwd, permissions: { commands: 'ask', answerWithin: 2500 } });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] }));
    expect((await run.result).outputs['build']?.make).toContain('reject_once');
  });

  it('is closed if the agent dies', async () => {
    const { program, cwd } = scripted([ask(TESTS), END]);
    let group = 0;
    const workspace = () => ({ cwd, onProcess: (pid: number) => void (group = pid) });
    const permissions = { commands: 'ask' } as const;
    const make = agentTask('make', { agent: agentOf(program), workspace, permissions, retry: { attempts: 1 } });
    const run = startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] }));
    await itemOf(run);
    process.kill(-group, 'SIGKILL');
    expect((await run.result).status).toBe('failed');
    expect(run.inbox()).toEqual([]);
  });

  it.each([
    ['a change in a turn that only reads', { kind: 'edit', title: 'Edit', locations: [{ path: '/etc/hosts' }] }],
    ['a file of git', { kind: 'edit', title: 'Edit', locations: [{ path: '.git/config' }] }],
  ])('asks nobody about %s', async (_, toolCall) => {
    const { program, cwd } = scripted([ask(toolCall), say('{}'), END], [END]);
    const judge = agentReviewer('judge', {
      agent: agentOf(program),
      workspace: cwd,
      criteria: 'Good.',
      permissions: { commands: 'ask', outside: 'ask', network: 'ask' },
      retry: { attempts: 1 },
      onEvent: (event) => void (event.type === 'permission' && answered.push(event.answered)),
    });
    const answered: string[] = [];
    const tasks = [{ kind: 'task', name: 'make', options: { run: () => 1 } }] as const;
    const review = { by: judge, maxReviewErrors: 0 };
    const run = startRun(definePipeline({ name: 'p', phases: [phase('build', { tasks, review })] }));
    await run.result;
    expect(answered).toEqual(['reject']);
  });
});

describe('a question in a stored run', () => {
  /** Starts a run whose agent asks, and suspends it then. */
  async function suspended(first: readonly Step[], second: readonly Step[]) {
    // The program counts its cancelling as a turn.
    const script = scripted(first, [], second);
    const pipeline = pipelineOf(script, undefined, { attempts: 2 });
    const store = sqliteStore(join(script.file('runs.db')));
    const run = startRun(pipeline, { runId: 'r1', store });
    const item = await itemOf(run);
    run.suspend();
    expect((await run.result).status).toBe('suspended');
    return { store, pipeline, item, asked: script.asked };
  }

  it('is answered while no process works on it, and the agent is told when it asks again', async () => {
    const { store, pipeline, item, asked } = await suspended([ask(TESTS), END], [ask(TESTS), END]);
    expect(await store.inbox({ open: true })).toHaveLength(1);
    await answerItem(store, item.id, { type: 'value', value: 'allow once' });
    const run = await resumeRun(store, 'r1', pipeline);
    expect((await run.result).outputs['build']?.make).toContain('allow_once');
    expect(asked().filter(({ prompt }) => prompt !== 'session/cancel')).toHaveLength(2);
    expect(await store.inbox()).toHaveLength(1);
    await store.close();
  });

  it('suspends a command without a terminal, which continues after the answer', async () => {
    const { program, cwd } = scripted([ask(TESTS), END], [], [ask(TESTS), END]);
    const agent = { acp: [...program, '--acp'] };
    const make = { agent, prompt: 'Make it.', permissions: { commands: 'ask' } };
    writeFileSync(
      join(cwd, 'p.yaml'),
      JSON.stringify({ name: 'p', workspace: 'none', phases: [{ name: 'build', tasks: [{ name: 'make', ...make }] }] }),
    );
    const left = await phasegate(['run', 'p.yaml', '--run-id', 'r1'], { cwd });
    expect(left).toMatchObject({ code: 3 });
    const { stdout } = await phasegate(['inbox', '--json'], { cwd });
    const { id } = JSON.parse(stdout.split('\n')[0] ?? '') as { readonly id: string };
    expect((await phasegate(['inbox', 'answer', id, '--value', '"allow once"'], { cwd })).code).toBe(0);
    expect((await phasegate(['resume', 'r1'], { cwd })).stdout).toContain('allow_once');
  });

  it('is closed once the work is done that does not ask it any more', async () => {
    const { store, pipeline, item } = await suspended([ask(TESTS), END], [say('Done.'), END]);
    const run = await resumeRun(store, 'r1', pipeline);
    expect((await run.result).outputs['build']?.make).toBe('Done.');
    expect(await store.inbox({ open: true })).toEqual([]);
    expect((await store.run(item.runId))?.status).toBe('cancelled');
    await store.close();
  });
});
