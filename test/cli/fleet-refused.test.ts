/** Fleets that are refused: each message has the remedy, and nothing is left behind. */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { files, phasegate } from './cli.ts';

const AGENT = ['--agent', 'command:node agent.mjs'];

describe('phasegate fleet', () => {
  it.each([
    [['Goal', '--agent', 'foo'], 'Cannot use agent "foo" as there is none of that name\nName claude, codex or gemini;'],
    [['Goal', ...AGENT, '--reviewer', 'foo'], 'Cannot use agent "foo" as there is none of that name'],
    [['Goal', ...AGENT, '--architect', 'foo'], 'Cannot use agent "foo" as there is none of that name'],
    [['Goal', '--agent', 'command:'], 'Cannot make a command of [""] as it is empty'],
    [[' ', ...AGENT], 'Cannot start a fleet as there is neither a goal nor a plan'],
    [['Goal', '--plan', 'plan.json', ...AGENT], 'Cannot start a fleet as it has both a goal and a plan'],
    [['--plan', 'nowhere.json', ...AGENT], 'Cannot read the plan "nowhere.json" as there is no such file'],
    [['--plan', '.', ...AGENT], 'Cannot read the plan "." as EISDIR'],
    [['--plan', 'cycle.json', ...AGENT], 'DEPENDENCY_CYCLE: subtask "a" depends on itself'],
    [['Goal', ...AGENT, '--max-tokens', '5'], 'ESTIMATE_MISSING'],
    [['Goal', ...AGENT, '--tag', 'two words'], 'its tags are invalid: this is no tag: "two words"'],
  ])('refuses %j', async (args, message) => {
    const subtasks = [{ id: 'a', title: 'a', description: '', depends_on: ['a'] }];
    const cwd = await files({
      'plan.json': JSON.stringify({ goal: 'Go.' }),
      'cycle.json': JSON.stringify({ goal: 'Go.', subtasks }),
    });
    const { code, stdout, stderr } = await phasegate(['fleet', ...args], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect((await readdir(cwd)).toSorted()).toEqual(['cycle.json', 'plan.json']);
  });
});

describe('phasegate workspaces', () => {
  it('refuses --rescue without --prune', async () => {
    const cwd = await files({});
    execFileSync('git', ['init', '--quiet'], { cwd });
    const { code, stderr } = await phasegate(['workspaces', '--rescue'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('phasegate workspaces --prune --rescue')]);
  });
});
