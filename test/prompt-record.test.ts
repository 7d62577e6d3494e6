import { describe, expect, it } from 'vitest';
import { memoryStore, readRun, task, type TaskContext } from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { contentHash } from '../src/model/values/content-hash.ts';
import { fake, play } from './rig.ts';

/** Returns the prompt marks in the ends of tasks. */
function marksIn(records: readonly RunRecord[]) {
  return records.flatMap(({ event }) =>
    event.type === 'task.completed' || event.type === 'task.failed' ? [event.prompt] : [],
  );
}

describe('the end of a task', () => {
  it('has the hash and the length of the prompt, attempt by attempt', async () => {
    const store = memoryStore();
    const a = fake('a', { verdicts: ['RETRY: Again.'] });
    const { records } = await play([a], { run: { store, runId: 'r' } });
    const marks = a.prompts.map((prompt) => ({ hash: contentHash(prompt), chars: prompt.length }));
    expect(marks[0]).toEqual({ hash: contentHash('do a'), chars: 4 });
    expect(marksIn(records)).toEqual(marks);
    expect(marks[1]?.hash).not.toBe(marks[0]?.hash);
    expect(marksIn(await readRun(store, 'r'))).toEqual(marks);
  });

  it('has no mark if the prompt was not read', async () => {
    const tasks = [
      task('work', { description: 'Work.', run: ({ attempt, revision }) => `${attempt} ${revision?.feedback}` }),
    ];
    const { records } = await play([fake('a', { tasks, verdicts: ['RETRY: Again.'] })]);
    expect(marksIn(records)).toEqual([undefined, undefined]);
  });

  it('says that the revision was read, if there was one', async () => {
    const marks = async (run: (context: TaskContext) => unknown) => {
      const tasks = [task('work', { description: 'Work.', run })];
      const { records } = await play([fake('a', { tasks, verdicts: ['RETRY: Again.'] })]);
      return records.flatMap(({ event }) => (event.type === 'task.completed' ? [event.revised] : []));
    };
    expect(await marks(({ revision }) => revision?.feedback)).toEqual([undefined, true]);
    expect(await marks(({ prompt }) => prompt)).toEqual([undefined, undefined]);
    const failing = ({ revision }: TaskContext) => {
      if (revision) throw new Error('no');
      return 'x';
    };
    const failed = await play([fake('a', { tasks: [task('work', { run: failing })], verdicts: ['RETRY: Again.'] })]);
    expect(failed.records.find(({ event }) => event.type === 'task.failed')?.event).toMatchObject({ revised: true });
  });

  it('has the mark of the last try, even if the task fails', async () => {
    const read = ({ prompt }: TaskContext) => {
      throw new Error(prompt);
    };
    const failing = task('work', { description: 'Work.', run: read });
    const { records } = await play([fake('a', { tasks: [failing] })]);
    expect(marksIn(records)).toEqual([{ hash: contentHash('Work.'), chars: 5 }]);
    let tries = 0;
    const hasty = task('work', {
      description: 'Work.',
      retry: { attempts: 2, backoff: { first: 1 } },
      run: (context: TaskContext) => {
        tries += 1;
        if (tries === 1) throw new Error(context.prompt);
        return 'x';
      },
    });
    expect(marksIn((await play([fake('b', { tasks: [hasty] })])).records)).toEqual([undefined]);
  });

  it('has the mark if the task times out', async () => {
    const slow = ({ prompt, signal }: TaskContext) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(prompt)));
    const tasks = [task('work', { description: 'Work.', run: slow, timeout: 10 })];
    expect(marksIn((await play([fake('a', { tasks })])).records)).toEqual([{ hash: contentHash('Work.'), chars: 5 }]);
  });
});
