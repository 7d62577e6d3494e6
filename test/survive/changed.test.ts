/** Runs that are resumed with the same definition, or with a changed one. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  phase,
  reject,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  type Redact,
  type ResumeOptions,
  memoryStore,
  readRun,
} from '../../src/index.ts';
import type { EventOf } from '../../src/records.ts';
import type { RunStore } from '../../src/store.ts';
import { fingerprint } from '../../src/model/plan/plan.ts';

/** A pipeline of `draft`, which ends at once, and `wait`, which the test releases. */
interface Made {
  readonly pipeline: Pipeline;
  /** Resolves when `wait` is running. */
  readonly begun: Promise<void>;
}

function made({ description = '', last = 'print', ends = false } = {}): Made {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const wait = () => {
    begin();
    return ends ? 'waited' : new Promise<never>(() => undefined);
  };
  const pipeline = definePipeline({
    name: 'p',
    phases: [
      phase('draft', { tasks: [task('write', { description, run: () => 'a draft' })] }),
      phase('wait', { after: ['draft'], tasks: [task('wait', { run: wait })] }),
      phase(last, { after: ['wait'], tasks: [task('press', { run: () => 'pressed' })] }),
    ],
  });
  return { pipeline, begun };
}

/** Creates a store with run `r`, which is left while `wait` is running. */
async function left({ pipeline, begun }: Made, redact?: Redact): Promise<RunStore> {
  const store = memoryStore();
  const run = startRun(pipeline, { store, runId: 'r', redact });
  await begun;
  run.suspend();
  await run.result;
  return store;
}

/** Resumes the run with a pipeline that ends. @returns Its result. */
async function goOn(store: RunStore, { pipeline }: Made, options?: ResumeOptions) {
  const { status, phases } = await (await resumeRun(store, 'r', pipeline, options)).result;
  return { status, phases: Object.entries(phases).map(([name, { attempts }]) => [name, attempts]) };
}

/** Wraps a store, and changes the start of the run in it. */
function altered(store: RunStore, change: (event: EventOf<'run.started'>) => EventOf<'run.started'>): RunStore {
  return {
    ...store,
    read: async (runId, from, limit) =>
      (await readRun(store, runId, from, limit)).map((record) =>
        record.event.type === 'run.started' ? { ...record, event: change(record.event) } : record,
      ),
  };
}

const DONE = {
  status: 'completed',
  phases: [
    ['draft', 1],
    ['wait', 1],
    ['print', 1],
  ],
};

describe('resumeRun() with the definition that a run was started with', () => {
  it('treats the plan as equal for any version of its fingerprint and any order of keys', async () => {
    const store = altered(await left(made()), ({ plan: { name, ...plan }, ...event }) => ({
      ...event,
      fingerprint: 'of another version',
      plan: { ...plan, name },
    }));
    expect(await goOn(store, made({ ends: true }))).toEqual(DONE);
  });

  it('compares fingerprints if texts of the plan were masked in the records', async () => {
    const redact: Redact = (event) =>
      event.type === 'run.started'
        ? (JSON.parse(JSON.stringify(event).replace('A secret', '***')) as typeof event)
        : event;
    const description = 'A secret';
    const store = await left(made({ description }), redact);
    expect(JSON.stringify(await store.read('r', 1, 1))).toContain('***');
    expect(await goOn(store, made({ description, ends: true }), { redact })).toEqual(DONE);
  });
});

describe('resumeRun() with another definition', () => {
  it('is refused, with the differences', async () => {
    const store = await left(made());
    await expect(goOn(store, made({ last: 'bind', ends: true }))).rejects.toThrowErrorMatchingInlineSnapshot(`
      [PhasegateError: Cannot resume run r as the definition of "p" has changed:
        phase "print" is gone
        phase "bind" is new
      Resume it with the definition that it was started with; or allow the change (\`allowChanged: true\`), if it is about phases that have not begun, or limits that were not reached.
      Docs: docs/errors.md#RUN_CHANGED]
    `);
    const damaged = altered(store, (event) => ({
      ...event,
      fingerprint: 'of another plan',
      plan: { ...event.plan, onFailure: 'halt' },
    }));
    await expect(goOn(damaged, made({ ends: true }))).rejects.toMatchObject({ code: 'RUN_CHANGED' });
  });
});

describe('resumeRun() with a definition of many other phases', () => {
  it('shows the first 20 differences', async () => {
    const store = await left(made({}));
    const phases = Array.from({ length: 5000 }, (_, at) =>
      phase(`new ${at}`, { tasks: [task('t', { run: () => 1 })] }),
    );
    const other = definePipeline({ name: 'p', phases });
    const message = String(await resumeRun(store, 'r', other).catch((thrown: unknown) => thrown));
    const lines = message.split('\n').filter((line) => line.startsWith('  '));
    // Three are gone, and 17 of the new ones are named.
    expect(lines).toHaveLength(21);
    expect(lines[19]).toBe('  phase "new 16" is new');
    expect(lines[20]).toBe('  and 4983 more');
  });
});

describe('resumeRun() with another definition, some texts of which `redact` masks', () => {
  const redact: Redact = (event) =>
    event.type === 'run.started'
      ? (JSON.parse(JSON.stringify(event).replaceAll(/secret \d+/gu, '***')) as typeof event)
      : event;

  async function refusal(change: Parameters<typeof made>[0]): Promise<string> {
    const store = await left(made({ description: 'Use secret 1' }), redact);
    return String(await goOn(store, made({ ends: true, ...change }), { redact }).catch((thrown: unknown) => thrown));
  }

  it('masks the differences, and names no text that only the mask changed', async () => {
    expect(await refusal({ description: 'Use secret 1', last: 'bind' })).toMatch(
      /has changed:\n {2}phase "print" is gone\n {2}phase "bind" is new\n\w/u,
    );
    expect(await refusal({ description: 'Take secret 2' })).toContain('description: "Use ***" → "Take ***"');
  });

  it('accepts another text in place of a masked one if changes are allowed, as the records do not have it', async () => {
    const store = await left(made({ description: 'Use secret 1' }), redact);
    const other = made({ description: 'Use secret 2', ends: true });
    const options = { redact, allowChanged: true };
    const run = await resumeRun(store, 'r', other.pipeline, options);
    expect((await run.result).status).toBe('completed');
  });

  it('says that a masked text has changed if nothing else has', async () => {
    expect(await refusal({ description: 'Use secret 2' })).toMatch(/has changed:\n {2}a text that `redact` masks\n\w/u);
  });
});

describe('resumeRun() with { allowChanged: true }', () => {
  /** A pipeline of `draft`, `wait`, which is left running, and `print`, with changes to each. */
  function variant(change: Readonly<Record<string, object>> = {}): Pipeline {
    return definePipeline({
      name: 'p',
      phases: ['draft', 'wait', 'print'].map((name, at, all) =>
        phase(name, {
          after: all.slice(Math.max(0, at - 1), at),
          tasks: [task('work', { run: () => name })],
          ...(name === 'wait' && { review: () => 'ESCALATE: a person has to see it' }),
          ...change[name],
        }),
      ),
    });
  }

  async function waiting(): Promise<RunStore> {
    const store = memoryStore();
    const run = startRun(variant(), { store, runId: 'r', attended: true });
    for await (const { event } of run) if (event.type === 'phase.escalated') break;
    run.suspend();
    await run.result;
    return store;
  }

  it.each([
    [
      'a gate that was never passed',
      { draft: { review: () => reject('never') } },
      'phase "draft": review: null → "a gate"',
    ],
    [
      'an artifact',
      { draft: { subscribe: ['draft/notes'] } },
      'phase "draft": subscribe: nothing → [{"artifact":"notes"',
    ],
    [
      'another way to run its tasks',
      { draft: { mode: 'sequential' } },
      'phase "draft": mode: "dependencies" → "sequential"',
    ],
    [
      'another description',
      { draft: { tasks: [task('work', { description: 'new', run: () => 1 })] } },
      'phase "draft": task "work": description: "" → "new"',
    ],
    ['no gate', { wait: { review: undefined } }, 'phase "wait": review: "a gate" → null'],
    [
      'another gate',
      { wait: { review: { by: () => approve(), maxRetries: 7 } } },
      'phase "wait": review: maxRetries: 2 → 7',
    ],
  ])('refuses, for a started phase, %s, with the phase and the field', async (_, change, said) => {
    const store = await waiting();
    const before = await readRun(store, 'r');
    const error = await resumeRun(store, 'r', variant(change), { allowChanged: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'JOURNAL_DIVERGED', message: expect.stringContaining(said) as string });
    expect(await readRun(store, 'r')).toEqual(before);
    expect(await store.run('r')).toMatchObject({ lease: undefined });
  });

  it('accepts a change of an unstarted phase, which has to pass its new gate', async () => {
    const store = await waiting();
    const changed = variant({ print: { review: () => reject('never') } });
    const run = await resumeRun(store, 'r', changed, { allowChanged: true });
    await run.decide('wait', approve());
    const { status, phases } = await run.result;
    expect([status, phases['print']?.status]).toEqual(['rejected', 'rejected']);
  });
});

describe('the fingerprint of a plan', () => {
  const versions = ({ task: one, phase: two, pipeline: three }: Readonly<Record<string, string>>, run = () => 'a') =>
    definePipeline({
      name: 'p',
      version: three,
      phases: [phase('draft', { version: two, tasks: [task('write', { version: one, run })] })],
    });

  it('ignores functions, and includes the version of a task, a phase and a pipeline', () => {
    const marks = [{}, { task: '2' }, { phase: '2' }, { pipeline: '2' }].map((one) => fingerprint(versions(one).plan));
    expect(new Set(marks).size).toBe(4);
    expect(fingerprint(versions({}, () => 'another').plan)).toBe(marks[0]);
    expect(versions({}).plan).not.toHaveProperty('version');
  });

  it('leads to a list of differences if a run is resumed with another version', async () => {
    const store = memoryStore();
    const never = () => new Promise<never>(() => undefined);
    const run = startRun(versions({}, never as unknown as () => string), { store, runId: 'r' });
    for await (const { event } of run) if (event.type === 'task.started') break;
    run.suspend();
    await run.result;
    const changed = versions({ task: '2', phase: '3', pipeline: '4' });
    const error: unknown = await resumeRun(store, 'r', changed).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(
      '  version: nothing → "4"\n  phase "draft": version: nothing → "3"\n  phase "draft": task "write": version: nothing → "2"',
    );
  });

  it('refuses an invalid version', () => {
    expect(() => versions({ task: '' })).toThrow('version');
  });
});
