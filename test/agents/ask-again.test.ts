/** Questions of agents for permission that look alike, come again, or are a reviewer's. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { acpAgent } from '../../src/acp.ts';
import { agentTask, type PermissionPolicy } from '../../src/agents.ts';
import { definePipeline, memoryStore, phase, startRun, type Run } from '../../src/index.ts';
import { phasegate } from '../cli/cli.ts';
import { scripted } from './rig.ts';
import type { Step } from './script.ts';

const END: Step = { type: 'stop', response: { stopReason: 'end_turn' } };
const ask = (toolCall: object): Step => ({ type: 'ask', toolCall: { toolCallId: 't1', ...toolCall } });
const TESTS = { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } };

/** Starts a stored run of an agent that takes these turns, one by try. */
function started(permissions: PermissionPolicy, ...turns: readonly (readonly Step[])[]) {
  const { program, cwd } = scripted(...turns);
  const [command, ...args] = program;
  let group = 0;
  const make = agentTask('make', {
    agent: acpAgent({ command, args: [...args, '--acp'], name: 'coder', silence: 5000 }),
    workspace: () => ({ cwd, onProcess: (pid: number) => void (group = pid) }),
    permissions,
    retry: { attempts: 2, backoff: { first: 1 } },
  });
  const pipeline = definePipeline({ name: 'p', phases: [phase('build', { tasks: [make] })] });
  const run = startRun(pipeline, { runId: 'r1', store: memoryStore() });
  return { run, kill: () => process.kill(-group, 'SIGKILL') };
}

/** Waits for an open item that was not seen before. */
async function itemOf(run: Pick<Run<unknown>, 'inbox'>, before?: string) {
  return vi.waitFor(
    () => {
      const item = run.inbox().find(({ id }) => id !== before);
      if (!item) throw new Error('There is no new item');
      return item;
    },
    { timeout: 20_000, interval: 10 },
  );
}

const edit = (newText: string) => ({
  kind: 'edit',
  title: 'Edit',
  content: [
    { type: 'diff', path: '/etc/one', oldText: 'was one', newText: 'is one' },
    { type: 'diff', path: '/etc/two', newText },
  ],
});

describe('a question about changes of files', () => {
  it('shows all of them', async () => {
    const { run } = started({ outside: 'ask' }, [ask(edit('is two')), END]);
    const { id, description = '' } = await itemOf(run);
    for (const line of ['/etc/one', '- was one', '+ is one', '/etc/two', '+ is two'])
      expect(description).toContain(line);
    await run.answer(id, { type: 'value', value: 'reject' });
    await run.result;
  });

  it('is another one if they differ beyond the part that is shown', async () => {
    const long = 'x'.repeat(9000);
    const { run } = started({ outside: 'ask' }, [ask(edit(`${long}a`)), ask(edit(`${long}b`)), END]);
    const first = await itemOf(run);
    await run.answer(first.id, { type: 'value', value: 'reject' });
    const second = await itemOf(run, first.id);
    await run.answer(second.id, { type: 'value', value: 'reject' });
    await run.result;
    expect(first.description).toBe(second.description);
    // Both are the first of their kind.
    expect(second.runId).toContain('.question-1-1-');
    expect(second.runId).not.toBe(first.runId);
  });
});

describe('a question of a second try', () => {
  it('is asked again after its agent has died', async () => {
    const { run, kill } = started({ commands: 'ask' }, [ask(TESTS), END], [ask(TESTS), END]);
    const first = await itemOf(run);
    kill();
    const second = await itemOf(run, first.id);
    await run.answer(second.id, { type: 'value', value: 'allow once' });
    expect((await run.result).outputs['build']?.make).toContain('allow_once');
  });

  it('is asked again after it was allowed', async () => {
    const died: Step = { type: 'stop', response: { stopReason: 'unheard' } };
    const { run } = started({ commands: 'ask' }, [ask(TESTS), died], [ask(TESTS), END]);
    const first = await itemOf(run);
    await run.answer(first.id, { type: 'value', value: 'allow once' });
    const second = await itemOf(run, first.id);
    await run.answer(second.id, { type: 'value', value: 'reject' });
    expect((await run.result).outputs['build']?.make).toContain('reject_once');
  });
});

describe('a question of a reviewer', () => {
  it('is printed, and suspends a command without a terminal', async () => {
    const { program, cwd } = scripted([ask(TESTS), END]);
    const by = { agent: { acp: [...program, '--acp'] }, prompt: 'Good.', permissions: { commands: 'ask' } };
    const build = { name: 'build', tasks: [{ name: 'code', command: ['echo', 'hi'] }], review: { by } };
    writeFileSync(join(cwd, 'p.yaml'), JSON.stringify({ name: 'p', workspace: 'none', phases: [build] }));
    const left = await phasegate(['run', 'p.yaml', '--run-id', 'r1'], { cwd });
    expect(left).toMatchObject({ code: 3 });
    expect(left.stdout).toContain('(execute): npm test');
  });
});
