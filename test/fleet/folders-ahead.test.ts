/** Folders that a fleet has prepared while its agents work. */
import { describe, expect, it } from 'vitest';
import { commandAgent } from '../../src/agents.ts';
import { arrangePlan } from '../../src/fleet/arrange-plan.ts';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { FleetOptions } from '../../src/fleet/fleet-options.ts';
import { foldersAfter } from '../../src/fleet/folders-ahead.ts';
import { approve, startRun } from '../../src/index.ts';
import { makeLab, useFolder } from '../workspaces/rig.ts';
import { BLOG, makeFleet } from './rig.ts';

const folder = useFolder();

const check = { name: 'tests', line: ['true'] } as const;

describe('the folders after that of a subtask', () => {
  it.each<[string, Partial<FleetOptions>, Readonly<Record<string, number>>]>([
    ['are those of the next level', {}, { '1': 3, '2a': 1, '2b': 1, '2c': 1, '3': 0 }],
    [
      'include those of subtasks that wait for a turn',
      { concurrency: 2 },
      { '1': 2, '2a': 2, '2b': 2, '2c': 1, '3': 0 },
    ],
    ['are one for one agent at a time', { concurrency: 1 }, { '1': 1, '2a': 1, '2b': 1, '2c': 1, '3': 0 }],
    [
      'include those of checks and of agents that review, and are four at most',
      { checks: [check], reviewers: [{ name: 'one', review: () => approve() }], concurrency: 'unlimited' },
      { '1': 4, '2a': 2, '2b': 2, '2c': 2, '3': 1 },
    ],
  ])('%s', async (_, more, expected) => {
    const { options } = await makeFleet(folder.path, {});
    const plan = arrangePlan(BLOG);
    const counts = plan.subtasks.map((one) => [one.id, foldersAfter({ ...options, ...more }, plan, one)] as const);
    expect(Object.fromEntries(counts)).toEqual(expected);
  });
});

describe('a fleet', () => {
  it('has the files of the next level made while an agent works', async () => {
    const lab = await makeLab(folder.path);
    const index = `ls ${lab.root}/*/.scratch/*/files/.git/index 2> /dev/null`;
    const waits = `for _ in {1..1000}; do if ${index}; then break; fi; sleep 0.02; done > /dev/null`;
    const sees = `stat -c %i "$(dirname "$(${index})")/../.gitignore" > made`;
    const line = `if [ "$PHASEGATE_TASK" = one ]; then ${waits}; ${sees}; else stat -c %i .gitignore > used; fi`;
    const subtasks = [
      { id: 'one', title: 'One', description: '', files_touched: ['made'] },
      { id: 'two', title: 'Two', description: '', files_touched: ['used'], depends_on: ['one'] },
    ];
    const options = { workspace: lab.workspaces(), agent: commandAgent(['bash', '-c', line]) };
    const { status } = await startRun(compilePlan({ goal: 'Work.', subtasks }, options), { runId: 'ahead' }).result;
    expect(status).toBe('completed');
    const made = await lab.git('show', 'phasegate/ahead:made');
    expect(made).toMatch(/^\d+$/u);
    expect(await lab.git('show', 'phasegate/ahead:used')).toBe(made);
  });
});
