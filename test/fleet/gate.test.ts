import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { FleetOptions } from '../../src/fleet/fleet-options.ts';
import { policies, startRun } from '../../src/index.ts';
import { useFolder } from '../workspaces/rig.ts';
import { makeFleet, type Act, type FleetLab } from './rig.ts';

const folder = useFolder();

const PLAN = { goal: 'Write a text.', subtasks: [{ id: 'x', title: 'Write x', description: '' }] };

const VERDICT = { nonce: '<nonce>', verdict: 'approved', critique: 'Fine.', conf: 1, score: null };

/** The answer of a reviewer that approves. */
const APPROVES = JSON.stringify({ ...VERDICT, required_change: null, issues: [], prior_findings: [] });

/** Names of the refs of a run, without hashes. */
async function refsOf(lab: FleetLab): Promise<readonly string[]> {
  const refs = await lab.git('for-each-ref', '--format=%(refname)', 'refs/phasegate/run');
  return refs.split('\n').map((ref) => ref.replace(/^refs\/phasegate\/run\//u, '').replace(/-[0-9a-f]{20}$/u, ''));
}

function judgeOf({ options: { agent } }: FleetLab): { readonly name: string; readonly agent: Agent } {
  if (typeof agent === 'function') throw new Error('One agent is expected.');
  return { name: 'judge', agent };
}

/** Runs the plan with a judge that does this, call by call. */
async function judged(judge: readonly Act[], options: Partial<FleetOptions> = {}) {
  const lab = await makeFleet(folder.path, { x: [{ files: { 'x.txt': 'x\n' } }], judge });
  const pipeline = compilePlan(PLAN, { ...lab.options, ...options, reviewers: [judgeOf(lab)] });
  const run = startRun(pipeline, { runId: 'run' });
  const errors: string[] = [];
  for await (const { event } of run) if (event.type === 'task.retrying') errors.push(event.error.message);
  return { lab, errors, result: await run.result };
}

describe('a program that checks a level', () => {
  it('runs in a folder with the integrated work, of which nothing is kept', async () => {
    const lab = await makeFleet(folder.path, {
      x: [{ files: { 'x.txt': 'bad\n' } }, { files: { 'x.txt': 'good\n' } }],
    });
    const script =
      "const fs = require('fs'); fs.writeFileSync('log.txt', ''); process.exit(fs.readFileSync('x.txt', 'utf8') === 'good\\n' ? 0 : 1)";
    const checks = [{ name: 'tests', line: [process.execPath, '--eval', script] as const, kind: 'test' as const }];
    const result = await startRun(compilePlan(PLAN, { ...lab.options, checks }), { runId: 'run' }).result;
    expect(result.status).toBe('completed');
    expect(await lab.calls('x')).toHaveLength(2);
    const files = await lab.filesAt('phasegate/run');
    expect(files).toMatchObject({ 'x.txt': 'good' });
    expect(files).not.toHaveProperty('log.txt');
    expect(await lab.options.workspace.list(new AbortController().signal)).toEqual([]);
    expect(await refsOf(lab)).toEqual([
      'attempts/approved/integrate/0.0',
      'attempts/approved/x/0.0',
      'attempts/phase-1/x/0.0',
      'attempts/phase-1/x/0.1',
      'merged/phase-1/integrate/0.0',
      'merged/phase-1/integrate/0.1',
      'published',
      'start',
    ]);
  });
});

describe('an agent that reviews a level', () => {
  it('approves, and leaves nothing behind', async () => {
    const { lab, result } = await judged([{ say: APPROVES }]);
    expect(result.status).toBe('completed');
    expect(await lab.options.workspace.list(new AbortController().signal)).toEqual([]);
    expect((await refsOf(lab)).filter((ref) => ref.includes('judge'))).toEqual([]);
  });

  it('sees the whole plan, the changes, and unexpected files, and sends back the subtask that it names', async () => {
    //  x, y ──▶ judge
    //  └◀────────┘ about y
    const requiredChange = 'Write "y" in capitals:: Y.';
    const issue = {
      severity: 'high',
      description: 'It is small.',
      affected_task: 'y',
      required_change: requiredChange,
    };
    const sendsBack = { ...VERDICT, verdict: 'needs_changes', required_change: requiredChange, prior_findings: [] };
    const fixed = { ...VERDICT, required_change: null, issues: [], prior_findings: [{ finding: 1, status: 'fixed' }] };
    const lab = await makeFleet(folder.path, {
      x: [{ files: { 'x.txt': 'x\n', 'stray.txt': '' } }],
      y: [{ files: { 'y.txt': 'y\n' } }, { files: { 'y.txt': 'Y\n' } }],
      judge: [{ say: JSON.stringify({ ...sendsBack, issues: [issue] }) }, { say: JSON.stringify(fixed) }],
    });
    const plan = {
      goal: 'Write a text.',
      plan_markdown: '# Text\n\nTwo letters, one file each.',
      subtasks: ['x', 'y'].map((id) => ({ id, title: `Write ${id}`, description: '', files_touched: [`${id}.txt`] })),
    };
    const { status } = await startRun(compilePlan(plan, { ...lab.options, reviewers: [judgeOf(lab)] })).result;
    expect(status).toBe('completed');
    const [first, second] = await lab.calls('judge');
    expect(first?.prompt).toContain('"overall_plan": "# Text\\n\\nTwo letters, one file each."');
    expect(first?.prompt).toMatch(/"outputs": "diff --git[^\n]*\+y\\n/u);
    expect(first?.prompt).toMatch(/"files_that_the_plan_does_not_expect": \{\s+"x": \[\s+"stray.txt"\s+\]/u);
    expect(second?.prompt).toContain('+Y');
    expect(await lab.calls('x')).toHaveLength(1);
    const [, again] = await lab.calls('y');
    expect(again?.prompt).toContain(requiredChange);
  });

  it.each([
    ['at once', []],
    ['in its second try', [{ fail: true }]],
  ])('has not reviewed if it changes a file %s', async (_, before) => {
    const { lab, result, errors } = await judged([...before, { files: { 'x.txt': 'mine\n' }, say: APPROVES }], {
      retry: { attempts: 2, backoff: { first: 1 } },
      policy: { ...policies.phased, maxReviewErrors: 0 },
    });
    expect(result.status).not.toBe('completed');
    expect(errors.at(-1)).toContain(
      before.length === 0 ? 'Cannot use the review of "judge" in phase "phase-1" as it has changed files: x.txt' : '',
    );
    expect(await lab.options.workspace.list(new AbortController().signal)).toEqual([]);
    expect((await refsOf(lab)).filter((ref) => ref.includes('judge'))).toEqual([]);
  });

  it('may review what a setup has changed', async () => {
    const lab = await makeFleet(folder.path, { x: [{ files: { 'x.txt': 'x\n' } }], judge: [{ say: APPROVES }] });
    const workspace = lab.workspaces({ setup: 'echo lock > lock.txt' });
    const pipeline = compilePlan(PLAN, { ...lab.options, workspace, reviewers: [judgeOf(lab)] });
    expect((await startRun(pipeline).result).status).toBe('completed');
  });
});
