/** Tags of runs: they are recorded with the start, checked, listed, and taken over by runs of tasks, resumed runs and forks. */
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  forkRun,
  memoryStore,
  phase,
  readRun,
  resumeRun,
  startRun,
  submitRun,
  task,
  verifyRun,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { hasTag } from '../src/model/events/tag-search.ts';
import { rememberSecrets } from '../src/model/values/known-secrets.ts';
import { copyRun } from '../src/runtime/records/copy-run.ts';

const quick = definePipeline({ name: 'quick', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });

/** The tags in the first record. */
function tagsIn(records: readonly RunRecord[]): unknown {
  const first = records[0]?.event;
  return first?.type === 'run.started' ? first.tags : 'no start';
}

describe('tags of a run', () => {
  it('are recorded and listed in the order of their keys, once each', async () => {
    const store = memoryStore();
    const tags = ['team=search', 'nightly', 'team=search', 'Env=eu-1/x:y@z+1'];
    await startRun(quick, { store, runId: 'r', tags }).result;
    expect(tagsIn(await readRun(store, 'r'))).toEqual(['Env=eu-1/x:y@z+1', 'nightly', 'team=search']);
    expect((await store.run('r'))?.tags).toEqual(['Env=eu-1/x:y@z+1', 'nightly', 'team=search']);
    await startRun(quick, { store, runId: 'none', tags: [] }).result;
    const [first] = await readRun(store, 'none');
    expect(first?.event).not.toHaveProperty('tags');
    expect((await store.run('none'))?.tags).toBeUndefined();
  });

  it('of a submitted run reach the worker, and do not make another run of it', async () => {
    const store = memoryStore();
    await submitRun(store, quick, { runId: 'r', tags: ['one'] });
    await submitRun(store, quick, { runId: 'r', tags: ['two'] });
    expect((await store.run('r'))?.tags).toEqual(['one']);
    await (
      await resumeRun(store, 'r', quick)
    ).result;
    expect(await store.run('r')).toMatchObject({ status: 'completed', tags: ['one'] });
    expect(await verifyRun(store, 'r')).toMatchObject({ problems: [] });
  });

  it('are taken over by runs of tasks, also after the parent was resumed, and by forks', async () => {
    const store = memoryStore();
    let calls = 0;
    const outer = definePipeline({
      name: 'outer',
      phases: [
        phase('a', { tasks: [task('first', { pipeline: () => quick })] }),
        phase('b', {
          after: ['a'],
          tasks: [
            task('hang', {
              run: ({ signal }) =>
                calls++ > 0
                  ? 1
                  : new Promise((_resolve, reject) =>
                      signal.addEventListener('abort', () => reject(new Error('stopped'))),
                    ),
            }),
          ],
        }),
        phase('c', { after: ['b'], tasks: [task('second', { pipeline: () => quick })] }),
      ],
    });
    const run = startRun(outer, { store, runId: 'r', tags: ['team=search'] });
    for await (const { event } of run) if (event.type === 'task.started' && event.task === 'hang') run.suspend();
    await run.result;
    await (
      await resumeRun(store, 'r', outer)
    ).result;
    const fork = await forkRun(store, 'r', { at: 3 });
    const listed = await store.runs();
    expect(listed.map(({ runId, tags }) => [runId === fork ? 'fork' : runId, tags])).toEqual(
      expect.arrayContaining([
        ['fork', ['team=search']],
        ['r', ['team=search']],
      ]),
    );
    expect(listed).toHaveLength(4);
    expect(listed.every(({ tags }) => tags?.join() === 'team=search')).toBe(true);
  });

  it.each([
    ['a list', 'nightly', '`tags` is no list'],
    ['text', [1], 'this is no tag: a value of type number'],
    ['a word', ['two words'], 'this is no tag: "two words"'],
    ['printable', ['a\u001b[31m'], 'this is no tag: "a\\u001b[31m"'],
    ['not empty', [''], 'this is no tag: ""'],
    ['a key', ['=x'], 'this is no tag: "=x"'],
    ['a value', ['x='], 'this is no tag: "x="'],
    ['one line', ['x\n'], 'this is no tag: "x\\n"'],
    ['short', ['x'.repeat(101)], `this is no tag: "${'x'.repeat(80)}" (cut)`],
    ['few', Array.from({ length: 17 }, (_, index) => `t${index}`), 'it has 17 tags, and 16 are the most'],
    ['one value', ['team=a', 'team=b'], 'two tags have the key "team": team=a and team=b'],
    ['no secret', ['key=ghp_012345678901234567890123456789012345'], 'the tag "key" has a secret'],
  ])('have to be %s', async (_, tags, found) => {
    const store = memoryStore();
    const options = { store, runId: 'r', tags: tags as readonly string[] };
    const { error } = await startRun(quick, options).result;
    expect(error?.code).toBe('TAG_INVALID');
    expect(error?.message).toContain(`Cannot start a run as its tags are invalid: ${found}\n`);
    expect(error?.message).not.toContain('ghp_');
    await expect(submitRun(store, quick, options)).rejects.toMatchObject({ code: 'TAG_INVALID' });
    expect(await store.run('r')).toBeUndefined();
  });

  it('with a secret that the process knows are refused, without repeating it', async () => {
    rememberSecrets(['hunter2hunter2']);
    const { error } = await startRun(quick, { tags: ['x=hunter2hunter2'] }).result;
    expect(error?.code).toBe('TAG_INVALID');
    const odd = await startRun(quick, { tags: ['hunter2hunter2 and more'] }).result;
    expect(error?.message ?? '').not.toContain('hunter2');
    expect(odd.error?.message ?? '').not.toContain('hunter2');
  });

  it('that `redact` has masked are recorded masked, not taken over, and the run resumes', async () => {
    const store = memoryStore();
    const outer = definePipeline({
      name: 'outer',
      phases: [phase('a', { tasks: [task('t', { pipeline: () => quick })] })],
    });
    await submitRun(store, outer, {
      runId: 'r',
      tags: ['person=ada', 'team=search'],
      redact: (event) =>
        event.type === 'run.started' && event.tags
          ? { ...event, tags: event.tags.map((tag) => tag.replace('ada', '[redacted]')) }
          : event,
    });
    await (
      await resumeRun(store, 'r', outer)
    ).result;
    expect(await store.run('r')).toMatchObject({ status: 'completed', tags: ['person=[redacted]', 'team=search'] });
    const child = (await store.runs()).find(({ runId }) => runId !== 'r');
    expect(child?.tags).toEqual(['team=search']);
  });

  it('are dropped if `redact` throws, as they may hold what it hides', async () => {
    const store = memoryStore();
    const redact = () => {
      throw new Error('no');
    };
    await startRun(quick, { store, runId: 'r', tags: ['person=ada'], redact }).result;
    expect(JSON.stringify([await store.run('r'), await readRun(store, 'r')])).not.toContain('ada');
  });

  it('of a journal that another program wrote are bounded in lists', async () => {
    const store = memoryStore();
    const source = memoryStore();
    await startRun(quick, { store: source, runId: 'r', tags: ['one'] }).result;
    const records = (await readRun(source, 'r')).map((record) =>
      record.event.type === 'run.started'
        ? { ...record, event: { ...record.event, tags: Array.from({ length: 1000 }, () => 'x'.repeat(10_000)) } }
        : record,
    );
    await copyRun(store, 'r', records, {});
    expect((await store.run('r'))?.tags).toEqual(Array.from({ length: 16 }, () => 'x'.repeat(100)));
  });
});

describe('the search for a tag', () => {
  it.each([
    ['team=search', true],
    ['team', true],
    ['nightly', true],
    ['team=sear', false],
    ['tea', false],
    ['nightly=x', false],
    ['search', false],
  ])('%s: %s', (wanted, isFound) => {
    expect(hasTag({ tags: ['nightly', 'team=search'] }, wanted)).toBe(isFound);
    expect(hasTag({}, wanted)).toBe(false);
  });
});

describe('the time of work in the list', () => {
  it('is that of the result, without waiting, and a row of an earlier version may lack it', async () => {
    const store = memoryStore();
    const { metrics } = await startRun(quick, { store, runId: 'r' }).result;
    const listed = await store.run('r');
    expect(listed?.workedMs).toBe(metrics.durationMs);
    if (!listed) return;
    const { workedMs: _workedMs, lease: _lease, lapsed: _lapsed, ...info } = listed;
    const old = memoryStore();
    await old.append({ runId: 'r', records: await readRun(store, 'r'), info, items: [], artifacts: [] });
    expect((await old.run('r'))?.workedMs).toBeUndefined();
    expect(await verifyRun(old, 'r')).toMatchObject({ problems: [] });
  });
});
