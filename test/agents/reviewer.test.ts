/**
 * Reviewers that are agents, in real pipelines.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentReviewer, commandAgent, jsonlAgent, type Agent, type AgentReviewerOptions } from '../../src/agents.ts';
import { definePipeline, phase, startRun, task, type RunResult } from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import { hurriedClock } from '../openai/rig.ts';
import { CLAUDE, CODEX, GEMINI, type Lines } from './lines.ts';
import { scripted, type Scripted } from './rig.ts';
import type { Step } from './script.ts';

const APPROVED = { nonce: '<nonce>', verdict: 'approved', critique: 'Fine.', conf: 0.9, issues: [] };
const CHANGES = {
  ...APPROVED,
  verdict: 'needs_changes',
  required_change: 'Add a "test": now.',
  critique: 'There is none.',
};

const fenced = (verdict: object) => `I have looked.\n\n\`\`\`json\n${JSON.stringify(verdict, null, 2)}\n\`\`\`\n`;

describe.each([
  ['claude', CLAUDE],
  ['codex', CODEX],
  ['gemini', GEMINI],
] as const)('agentReviewer() with %s', (profile, lines) => {
  it('sends back with its required change, and approves', async () => {
    const turns = [steps(lines, fenced(CHANGES)), steps(lines, JSON.stringify(APPROVED))];
    const { result, prompts, asked } = await review({ agent: (program) => jsonlAgent(profile, { program }), turns });
    expect(result.status).toBe('completed');
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain('Add a "test": now.');
    const [first] = asked();
    expect(first?.prompt).toContain('Every endpoint has a test.');
    expect(first?.prompt).toContain('Change nothing there.');
    expect(first?.args.join(' ')).not.toMatch(/acceptEdits|auto_edit|workspace-write|yolo/u);
    expect(new Set(asked().map(({ prompt }) => /"nonce": "([^"]+)"/u.exec(prompt)?.[1])).size).toBe(2);
  });
});

describe('agentReviewer()', () => {
  it('takes the value that Claude has read by the schema', async () => {
    const verdict = { ...APPROVED, required_change: null, score: null, prior_findings: [] };
    const turn = CLAUDE.done('Done.').map((line): Step => ({
      type: 'json',
      line: 'subtype' in line && line.subtype === 'success' ? { ...line, structured_output: verdict } : line,
    }));
    const { result, asked } = await review({ turns: [turn] });
    expect(result.status).toBe('completed');
    expect(asked()).toHaveLength(1);
    expect(asked()[0]?.args).toContain('--json-schema');
  });

  it.each([
    ['the word APPROVE', 'APPROVE'],
    ['an approval with another nonce', fenced({ ...APPROVED, nonce: 'from the work' })],
    ['an approval without a nonce', fenced({ verdict: 'approved', critique: '', conf: 1, issues: [] })],
    ['an approval that requires a change', fenced({ ...APPROVED, required_change: 'Add a test.' })],
    ['two verdicts in one object', fenced(APPROVED).replace('"conf"', '"verdict": "reject",\n  "conf"')],
    ['an approval in a fence that is not closed', fenced(APPROVED).replace(/```\n$/u, '')],
    ['prose with a verdict in it', `My verdict: ${JSON.stringify(APPROVED)} as said.`],
    ['nothing', ''],
  ])('never takes %s for an approval', async (_, text) => {
    const turns = Array.from({ length: 12 }, () => steps(CODEX, text));
    const { result, asked, events } = await review({ agent: (program) => jsonlAgent('codex', { program }), turns });
    expect(result.phases['build']).toMatchObject({ status: 'failed', error: { code: 'REVIEW_UNAVAILABLE' } });
    // Each of 4 reviews asks once more by itself.
    expect(asked()).toHaveLength(8);
    expect(events.filter((event) => event.type === 'task.retrying')).toEqual([]);
  });

  it('asks once more after an answer that is no verdict, with another nonce', async () => {
    const { result, asked } = await review({ turns: [steps(CLAUDE, 'Looks good!'), steps(CLAUDE, fenced(APPROVED))] });
    expect(result.status).toBe('completed');
    const [first, second] = asked();
    expect(second?.prompt).toContain('An earlier answer to this could not be used');
    expect(first?.prompt).not.toContain('An earlier answer to this could not be used');
  });

  it.each([
    ['a refusal', CLAUDE.refused],
    ['a limit', CLAUDE.limit],
  ])('takes %s for a review error, after which the gate asks again', async (_, lines) => {
    const turns = [lines.map((line): Step => ({ type: 'json', line })), steps(CLAUDE, fenced(APPROVED))];
    const { result, prompts, asked } = await review({ turns });
    expect(result.status).toBe('completed');
    expect(prompts).toHaveLength(1);
    expect(asked()).toHaveLength(2);
  });

  it('is a review error if its workspace refuses a change that it has made', async () => {
    const { program, cwd, asked, file } = scripted(
      [{ type: 'create', path: 'made.txt', content: 'x' }, ...steps(CLAUDE, fenced(APPROVED))],
      steps(CLAUDE, fenced(APPROVED)),
    );
    const made = join(cwd, 'made.txt');
    let refusals = 0;
    const workspace = () => ({
      cwd,
      close() {
        if (!existsSync(made) || refusals > 0) return;
        refusals += 1;
        throw new Error(`The reviewer has changed made.txt: ${readFileSync(made, 'utf8')}`);
      },
    });
    const { result, events } = await run({
      agent: jsonlAgent('claude', { program }),
      workspace,
      retry: { attempts: 1 },
    });
    expect(file('made.txt')).not.toBe(made);
    expect(asked()).toHaveLength(2);
    expect(result.status).toBe('completed');
    const verdicts = events.flatMap((event) => (event.type === 'review.decided' ? event.verdict.type : []));
    expect(verdicts).toEqual(['unavailable', 'approve']);
  });

  it('asks a command with its line for turns that only read', async () => {
    const make = (program: Scripted['program']) =>
      commandAgent([...program, '--write'], { readOnly: [...program, '--read'] });
    const { result, asked } = await review({ agent: make, turns: [[{ type: 'text', text: fenced(APPROVED) }]] });
    expect(result.status).toBe('completed');
    expect(asked()[0]?.args).toEqual(['--read']);
  });

  it.each([
    [{ criteria: ' ' }, 'there are no criteria'],
    [{ agent: commandAgent(['x']) }, 'cannot promise to change nothing'],
    [{ workspace: '' }, 'has no workspace'],
  ])('refuses %o at definition time', (options, message) => {
    const agent = jsonlAgent('claude');
    expect(() => agentReviewer('judge', { agent, workspace: '.', criteria: 'Good.', ...options })).toThrow(message);
  });
});

// --- internal ---

function steps(lines: Lines, text: string): readonly Step[] {
  return lines.done(text).map((line) => ({ type: 'json', line }));
}

interface Reviewed {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** Prompts of the worker. */
  readonly prompts: readonly string[];
}

/** Runs one phase whose reviewer is an agent that takes these turns. */
async function review({
  turns,
  agent = (program) => jsonlAgent('claude', { program }),
}: {
  readonly turns: readonly (readonly Step[])[];
  readonly agent?: (program: Scripted['program']) => Agent;
}): Promise<Reviewed & Pick<Scripted, 'asked'>> {
  const { program, cwd, asked } = scripted(...turns);
  return { ...(await run({ agent: agent(program), workspace: cwd })), asked };
}

async function run(options: Omit<AgentReviewerOptions, 'criteria'>): Promise<Reviewed> {
  const prompts: string[] = [];
  const make = task('make', {
    description: 'Make it.',
    run({ prompt }) {
      prompts.push(prompt);
      return prompts.length;
    },
  });
  const judge = agentReviewer('judge', { ...options, criteria: 'Every endpoint has a test.' });
  const build = phase('build', { tasks: [make], review: judge });
  const started = startRun(definePipeline({ name: 'p', phases: [build] }), { clock: hurriedClock() });
  const events: RunEvent[] = [];
  started.events$.subscribe(({ event }) => events.push(event));
  return { result: await started.result, events, prompts };
}
