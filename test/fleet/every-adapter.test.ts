/** Feedback reaches the rework of a subtask whatever agent does it, and an agent that changes nothing is recorded. */
import { describe, expect, it } from 'vitest';
import { acpAgent } from '../../src/acp.ts';
import { commandAgent, jsonlAgent, type Agent } from '../../src/agents.ts';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { LevelReview } from '../../src/fleet/fleet-options.ts';
import { approve, requestChanges, startRun } from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import { acpText, CLAUDE, CODEX, GEMINI } from '../agents/lines.ts';
import { scripted, type Scripted } from '../agents/rig.ts';
import type { Step } from '../agents/script.ts';
import { makeLab, useFolder } from '../workspaces/rig.ts';

const folder = useFolder();

const DONE = 'Done.';
const lines = (all: readonly object[]) => all.map((line): Step => ({ type: 'json', line }));
const printed: readonly Step[] = [{ type: 'text', text: DONE }];
const END: Step = { type: 'stop', response: { stopReason: 'end_turn' } };

type Program = Scripted['program'];

const ADAPTERS: readonly (readonly [string, readonly Step[], (program: Program) => Agent])[] = [
  ['claude', lines(CLAUDE.done(DONE)), (program) => jsonlAgent('claude', { program })],
  ['codex', lines(CODEX.done(DONE)), (program) => jsonlAgent('codex', { program })],
  ['gemini', lines(GEMINI.done(DONE)), (program) => jsonlAgent('gemini', { program })],
  [
    'the Agent Client Protocol',
    [...lines([acpText(DONE)]), END],
    ([command, ...args]) => acpAgent({ command, args: [...args, '--acp'] }),
  ],
  ['a command', printed, (program) => commandAgent(program)],
  [
    'a command with an argument',
    printed,
    (program) => commandAgent([...program, '--prompt', '{prompt}'], { prompt: 'argument' }),
  ],
  [
    'a command with a file',
    printed,
    (program) => commandAgent([...program, '--prompt-file', '{prompt}'], { prompt: 'file' }),
  ],
];

const requiredChange = 'Use "two" colons:: é, $1, $& and `x`; not <b>\\n</b>.';
const issue = { severity: 'high', description: 'It has one.', affectedTask: 'x', requiredChange } as const;
const plan = { goal: 'Write a text.', subtasks: [{ id: 'x', title: 'Write x', description: 'Write it.' }] };

describe('a required change to a subtask', () => {
  it.each(ADAPTERS)('is verbatim in the next prompt of %s, which is recorded as unchanged', async (_, turn, make) => {
    const lab = await makeLab(folder.path);
    const { program, asked } = scripted(turn, turn);
    const told: number[] = [];
    const review = ({ context: { attempt, unchanged } }: LevelReview) => {
      told.push(unchanged);
      return attempt === 0 ? requestChanges([issue]) : approve();
    };
    const pipeline = compilePlan(plan, {
      workspace: lab.workspaces(),
      agent: make(program),
      reviewers: [{ name: 'judge', review }],
    });
    const run = startRun(pipeline);
    const unchanged: RunEvent[] = [];
    for await (const { event } of run) if (event.type === 'attempt.unchanged') unchanged.push(event);
    expect((await run.result).status).toBe('completed');
    const [first, second] = asked();
    expect(first?.prompt).toContain('Write it.');
    expect(first?.prompt).not.toContain(requiredChange);
    expect(second?.prompt).toContain(requiredChange);
    expect(second?.cwd).not.toBe(first?.cwd);
    // It has made the same files again.
    expect(unchanged).toMatchObject([{ phase: 'phase-1', attempt: 1, times: 1 }]);
    expect(told).toEqual([0, 1]);
  });
});
