import { describe, expect, it } from 'vitest';
import { newTask } from '../../visualizations/dashboard/src/run/phase/task-history.ts';
import { conflictsIn, workIn } from '../../visualizations/dashboard/src/run/work/work-in.ts';

const SUBTASK = {
  commit: 'c',
  tree: 't',
  base: 'b',
  files: ['x', 'y'],
  fileCount: 2,
  outOfScope: ['y'],
  summary: 'Done.',
};
const LEVEL = { commit: 'm', base: 'b', parts: {}, conflicts: [{ name: 'two', paths: ['y', 'z'] }] };

describe('workIn()', () => {
  it('reads the work of a subtask, and of a level', () => {
    expect(workIn(SUBTASK, true)).toEqual({ files: ['x', 'y'], fileCount: 2, outOfScope: ['y'], summary: 'Done.' });
    expect(workIn(LEVEL, true)).toEqual({ conflicts: LEVEL.conflicts });
  });

  it.each([
    null,
    'text',
    7,
    [],
    {},
    { commit: 'c' },
    { commit: 'c', base: 'b' },
    { ...SUBTASK, files: [1] },
    { ...SUBTASK, commit: 1 },
  ])('takes %j for no work', (output) => {
    expect(workIn(output, true)).toBeUndefined();
  });

  it('knows that a large output of a level is work', () => {
    const stored = { 'phasegate:artifact': '0'.repeat(64) };
    expect([workIn(stored, true), workIn(stored, false)]).toEqual([{}, undefined]);
  });

  it('leaves out what is no conflict', () => {
    expect(workIn({ ...LEVEL, conflicts: [null, { name: 'a' }, { name: 'a', paths: [1] }] }, true)).toEqual({
      conflicts: [],
    });
  });
});

describe('conflictsIn()', () => {
  it('names the other subtasks that change one of the paths', () => {
    const tasks = [
      { name: 'one', value: SUBTASK },
      { name: 'other', value: { ...SUBTASK, files: ['q'] } },
      { name: 'two', value: { ...SUBTASK, files: ['y', 'z'] } },
      { name: 'integrate', value: LEVEL },
    ].map(({ name, value }) => ({ ...newTask(name, false), output: { value } }));
    expect(conflictsIn(tasks)).toEqual([{ name: 'two', paths: ['y', 'z'], others: ['one'] }]);
    expect(conflictsIn([])).toEqual([]);
  });
});
