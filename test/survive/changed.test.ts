/**
 * Whether a run is resumed with the definition that it was started with.
 */
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  memoryStore,
  phase,
  resumeRun,
  startRun,
  task,
  type EventOf,
  type Pipeline,
  type Redact,
  type ResumeOptions,
  type RunStore,
} from '../../src/index.ts';

/** `draft`, which ends at once, then `wait`, which ends once it may. */
interface Made {
  readonly pipeline: Pipeline;
  /** Resolves when `wait` is at work. */
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

/** A store with run `r`, which is left while `wait` is at work. */
async function left({ pipeline, begun }: Made, redact?: Redact): Promise<RunStore> {
  const store = memoryStore();
  const run = startRun(pipeline, { store, runId: 'r', redact });
  await begun;
  run.suspend();
  await run.result;
  return store;
}

/** Resumes it with what ends. @returns What it came to. */
async function goOn(store: RunStore, { pipeline }: Made, options?: ResumeOptions) {
  const { status, phases } = await (await resumeRun(store, 'r', pipeline, options)).result;
  return { status, phases: Object.entries(phases).map(([name, { attempts }]) => [name, attempts]) };
}

/** The store, as it would be if the run had begun otherwise. */
function altered(store: RunStore, change: (event: EventOf<'run.started'>) => EventOf<'run.started'>): RunStore {
  return {
    ...store,
    read: async (runId, from, limit) =>
      (await store.read(runId, from, limit)).map((record) =>
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
  it('takes the plan for the same, however its fingerprint was taken and its keys are ordered', async () => {
    const store = altered(await left(made()), ({ plan: { name, ...plan }, ...event }) => ({
      ...event,
      fingerprint: 'of another version',
      plan: { ...plan, name },
    }));
    expect(await goOn(store, made({ ends: true }))).toEqual(DONE);
  });

  it('goes by the fingerprint where texts of the plan were masked in the records', async () => {
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
  it('is refused, and says what has changed', async () => {
    const store = await left(made());
    await expect(goOn(store, made({ last: 'bind', ends: true }))).rejects.toThrowErrorMatchingInlineSnapshot(`
      [PhasegateError: Cannot resume run r as the definition of "p" has changed:
        phase "print" is gone
        phase "bind" is new
      Resume it with the definition that it was started with; or allow the change, where it is about phases that have not begun, or limits that were not reached.
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
