import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { files, phasegateProcess } from './cli.ts';
import { onTerminal, python } from './pty.ts';

const PLAN = {
  goal: 'Write a text.',
  subtasks: [
    { id: '1', title: 'Write models', description: 'One file.' },
    { id: '2a', title: 'Write the API', description: 'One file.', depends_on: ['1'] },
    { id: '2b', title: 'Write commands', description: 'One file.', depends_on: ['1'] },
  ],
};

/** An agent that makes the plan, writes a file for each subtask, and waits with the last until the screen was seen. */
const AGENT = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  const task = process.env.PHASEGATE_TASK;
  readFileSync(0);
  if (task === 'plan') console.log('\`\`\`json\\n' + ${JSON.stringify(JSON.stringify(PLAN))} + '\\n\`\`\`');
  else {
    while (task === '2b' && !existsSync(process.argv[2])) await setTimeout(20);
    writeFileSync(task + '.txt', task);
  }`;

/** A repository, an agent for it, and a file that the agent waits for. */
async function place() {
  const tools = await files({ 'agent.mjs': AGENT });
  const cwd = await files({ 'a.txt': 'a\n' });
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '--quiet', '--message', 'Begin');
  const seen = join(tools, 'seen');
  const env = { XDG_STATE_HOME: join(tools, 'state'), PHASEGATE_STORE: undefined };
  return { cwd, seen, env, agent: `command:${process.execPath} ${join(tools, 'agent.mjs')} ${seen}` };
}

function untimed(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/ {2}[\d.]+m?s$| · [\d.]+m?s$/u, ''));
}

describe.skipIf(!python)('a fleet on a terminal', () => {
  it('is the tree of its phases and subtasks, below the phase of its goal', async () => {
    const { cwd, agent, seen, env } = await place();
    const args = ['fleet', 'Write a text.', '--agent', agent, '--yes', '--run-id', 'goal'];
    let during: readonly string[] = [];
    const { code } = await onTerminal(args, {}, env, {
      cwd,
      onFrame(screen) {
        const lines = untimed(screen.lines());
        if (during.length > 0 || !lines.some((line) => line.includes('Running (1/2'))) return;
        during = lines;
        void writeFile(seen, '');
      },
    });
    expect(during.slice(during.findIndex((line) => line.startsWith('fleet  ')))).toEqual([
      'fleet  ✓ 1  ● 1',
      '✓ plan  2 tasks',
      '● work  0/1 task',
      '  Phase 1: ✓ Write models',
      '  Phase 2: ● Running (1/2 subtasks complete)',
      '    ├── ✓ Write the API  2a',
      '    └── ● Write commands (running)  2b',
      '  ○ hand-over',
      '1/2 approved',
    ]);
    expect(code).toBe(0);

    const { stdout } = await phasegateProcess(['show', 'latest'], { cwd, env: { XDG_STATE_HOME: env.XDG_STATE_HOME } });
    expect(untimed(stdout.split('\n\n')[1]?.split('\n') ?? [])).toEqual([
      'fleet  ✓ 2',
      '✓ plan  2 tasks',
      '✓ work  1 task',
      '  Phase 1: ✓ Write models',
      '  Phase 2: ✓ Write the API, Write commands',
      '  ✓ hand-over  1 task',
      '2/2 approved',
    ]);
    const child = 'goal/work/0/0/task/fleet';
    const json = await phasegateProcess(['show', child, '--json'], {
      cwd,
      env: { XDG_STATE_HOME: env.XDG_STATE_HOME },
    });
    expect(JSON.parse(json.stdout)).toMatchObject({
      levels: [{ phase: 'phase-1', status: 'completed' }, { subtasks: [{ subtaskId: '2a' }, { subtaskId: '2b' }] }],
    });
  });
});
