import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compilePlan } from '../../src/fleet/compile-plan.ts';
import type { FleetOptions, LevelReview } from '../../src/fleet/fleet-options.ts';
import { approve, definePipeline, phase, requestChanges, retry, startRun, task } from '../../src/index.ts';
import { foldFleet, type LevelView, type RunEvent, type RunRecord } from '../../src/records.ts';
import { useFolder } from '../workspaces/rig.ts';
import { BLOG, BLOG_SCRIPTS, makeFleet, type Act } from './rig.ts';

const folder = useFolder();

/** The records of a fleet of three levels, and its levels after each record. */
async function watched(scripts: Readonly<Record<string, readonly Act[]>>, options: Partial<FleetOptions> = {}) {
  const lab = await makeFleet(folder.path, scripts);
  const records: RunRecord[] = [];
  const states: (readonly LevelView[])[] = [];
  const fold = foldFleet();
  for await (const record of startRun(compilePlan(BLOG, { ...lab.options, ...options }))) {
    records.push(record);
    fold.apply(record);
    states.push(fold.levels());
  }
  return { lab, records, states, last: fold.levels() };
}

/** The different values of a text, in order. */
function steps(texts: readonly (string | undefined)[]): readonly (string | undefined)[] {
  return texts.filter((text, index) => text !== texts[index - 1]);
}

const judge = (review: (level: LevelReview) => ReturnType<typeof approve>) => ({
  reviewers: [{ name: 'judge', review }],
});

describe('foldFleet()', () => {
  it('has the statuses of phases and subtasks through a retry', async () => {
    const requiredChange = 'Add a --help flag.';
    const { lab, states, last } = await watched(
      { ...BLOG_SCRIPTS, '2b': [{ files: { 'cli/main.txt': 'main\n' } }, { files: { 'cli/main.txt': 'help\n' } }] },
      judge(({ context }) =>
        context.phase === 'phase-2' && context.attempt === 0
          ? requestChanges([{ severity: 'high', description: 'No help.', affectedTask: '2b', requiredChange }])
          : approve(),
      ),
    );
    const level = (index: number) => steps(states.map((levels) => levels[index]?.status));
    expect([0, 1, 2].map(level)).toEqual([
      [undefined, 'pending', 'running', 'completed'].slice(1),
      ['pending', 'running', 'retrying', 'completed'],
      ['pending', 'running', 'completed'],
    ]);
    const subtask = (id: string) =>
      steps(states.map((levels) => levels[1]?.subtasks.find(({ subtaskId }) => subtaskId === id)?.status));
    expect(subtask('2b')).toEqual(['pending', 'running', 'completed', 'pending', 'retrying', 'completed']);
    expect(steps(states.map((levels) => levels[1]?.requiredChange ?? ''))).toEqual(['', requiredChange, '']);

    expect(last.map(({ phase: name, phaseIndex, attempt }) => [name, phaseIndex, attempt])).toEqual([
      ['phase-1', 0, 1],
      ['phase-2', 1, 2],
      ['phase-3', 2, 1],
    ]);
    expect(last[1]?.subtasks).toEqual([
      { ...done('2a', 'Create REST API endpoints'), attempt: 1 },
      { ...done('2b', 'Create CLI commands'), attempt: 2 },
      { ...done('2c', 'Add model unit tests'), attempt: 1 },
    ]);
    expect(last[0]?.prePhaseCommit).toBe(await lab.git('rev-parse', 'HEAD'));
    expect(last.map(({ reviewResult }) => reviewResult?.type)).toEqual(['approve', 'approve', 'approve']);
  });

  it('is made of the events of the source', async () => {
    const { records } = await watched(
      { ...BLOG_SCRIPTS, 3: [{ fail: true }] },
      judge(({ context }) => (context.phase === 'phase-1' && context.attempt === 0 ? retry('Again.') : approve())),
    );
    const names = records.flatMap(({ event }) => sourceEvent(event) ?? []);
    expect(names.filter((name) => name.startsWith('phase_'))).toEqual([
      'phase_started phase-1',
      'phase_retry phase-1',
      'phase_completed phase-1',
      'phase_started phase-2',
      'phase_completed phase-2',
      'phase_started phase-3',
    ]);
    expect(names.filter((name) => /^subtask_.* (?:1|3)$/u.test(name))).toEqual([
      'subtask_started 1',
      'subtask_completed 1',
      'subtask_started 1',
      'subtask_completed 1',
      'subtask_started 3',
      'subtask_failed 3',
    ]);
  });

  it('counts an attempt in which an agent makes the same files again', async () => {
    const { last } = await watched(
      BLOG_SCRIPTS,
      judge(({ context }) => (context.phase === 'phase-1' && context.attempt === 0 ? retry('Again.') : approve())),
    );
    expect(last[0]?.subtasks).toMatchObject([{ subtaskId: '1', status: 'completed', attempt: 2 }]);
  });

  it('has the end of a level that is rejected twice, and leaves later ones pending', async () => {
    const { last } = await watched(
      BLOG_SCRIPTS,
      judge(({ context }) => (context.phase === 'phase-2' ? retry('No.') : approve())),
    );
    expect(last.map(({ status, attempt, error }) => [status, attempt, error !== null])).toEqual([
      ['completed', 1, false],
      ['failed', 2, true],
      ['pending', 1, false],
    ]);
    expect(last[1]?.reviewResult).toMatchObject({ type: 'retry', feedback: 'No.' });
    expect(last[2]?.subtasks).toMatchObject([{ subtaskId: '3', status: 'pending', startedAt: null }]);
  });

  it('has the error of a subtask that fails, and those that it stops', async () => {
    const { last } = await watched({
      ...BLOG_SCRIPTS,
      '2a': [{ fail: true, say: 'Cannot do it.' }],
      '2b': [{ wait: true }],
      '2c': [{ wait: true }],
    });
    expect(last.map(({ status }) => status)).toEqual(['completed', 'failed', 'pending']);
    const [first, second] = last[1]?.subtasks ?? [];
    expect(first).toMatchObject({
      status: 'failed',
      completedAt: null,
      error: expect.stringContaining('Cannot') as string,
    });
    expect(second).toMatchObject({ status: 'failed', error: 'stopped, as 2a failed' });
  });

  it('reads the journal of a fleet of an earlier version', async () => {
    const file = new URL('../fixtures/journals/0.1/fleet.jsonl', import.meta.url);
    const fold = foldFleet();
    for (const line of (await readFile(file, 'utf8')).trim().split('\n')) fold.apply(JSON.parse(line) as RunRecord);
    expect(fold.levels()).toMatchObject([
      { phase: 'phase-1', status: 'completed', attempt: 1, prePhaseCommit: 'c0' },
      {
        phase: 'phase-2',
        status: 'completed',
        attempt: 2,
        prePhaseCommit: 'c1',
        subtasks: [
          { subtaskId: '2a', title: 'Write 2a', status: 'completed', attempt: 1 },
          { subtaskId: '2b', title: 'Write 2b', status: 'completed', attempt: 2 },
        ],
      },
    ]);
  });

  it('has no levels for a run that is no fleet', async () => {
    const own = phase('phase-1', { tasks: [task('work', { run: () => 1 })] });
    const fold = foldFleet();
    for await (const record of startRun(definePipeline({ name: 'other', phases: [own] }))) fold.apply(record);
    expect(fold.levels()).toEqual([]);
  });
});

function done(subtaskId: string, title: string) {
  const time = expect.any(Number) as number;
  return { subtaskId, title, status: 'completed', startedAt: time, completedAt: time, error: null };
}

/** The event of phased execution that a record is, as the table of docs/semantics.md says. */
function sourceEvent(event: RunEvent): string | undefined {
  const { type } = event;
  if (type === 'task.started') return event.try === 1 ? `subtask_started ${event.task}` : undefined;
  if (type === 'task.completed') return `subtask_completed ${event.task}`;
  if (type === 'task.failed') return `subtask_failed ${event.task}`;
  if (!('phase' in event) || event.phase === 'hand-over') return undefined;
  if (type === 'phase.started' && event.attempt === 0) return `phase_started ${event.phase}`;
  if (type === 'phase.approved') return `phase_completed ${event.phase}`;
  return type === 'phase.retrying' ? `phase_retry ${event.phase}` : undefined;
}
