import { filter, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  runPipeline,
  RunUnsuccessfulError,
  startRun,
  type RunSnapshot,
  type TaskContext,
} from '../src/index.ts';
import { foldRun, fingerprint, runRecordSchema, type RunRecord } from '../src/records.ts';
import { fake, idle, play, type Fake } from './rig.ts';

/** Phases of a run with every kind of event that a single run can have. */
function eventful(): readonly Fake[] {
  //  a ──▶ b ──▶ c      bad ──▶ never
  return [
    fake('a', {
      outputs: [
        ({ report }: TaskContext) => {
          report({ tokens: 3, costUsd: 0.5, progress: 0.5, artifact: { name: 'log', content: [1] } });
          return { text: 'a' };
        },
      ],
      verdicts: ['RETRY: more', 'well'],
      onUnrecognised: 'approve',
    }),
    fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: again', new Error('busy'), 'ESCALATE: look'] }),
    fake('c', { after: ['b'], verdicts: ['REJECT: no'] }),
    fake('bad', { outputs: [new Error('broken')] }),
    fake('never', { after: ['bad'] }),
  ];
}
const options = {
  limits: { tokens: 1000, corrections: 9 },
  when: {
    'b escalated (requested): look': (run: { decide(about: string, decision: string): void }) =>
      run.decide('b', 'APPROVE'),
  },
};

const pipelineOf = (phases: readonly Fake[]) =>
  definePipeline({ name: 'p', phases: phases.map((one) => one.definition) });

describe('records', () => {
  it('are numbered from 1 without gaps, have a time and a run id, and satisfy their schema', async () => {
    const { records, run } = await play(eventful(), { ...options, run: { runId: 'my.run' } });
    expect(records.map((record) => record.seq)).toEqual(records.map((_, index) => index + 1));
    expect(new Set(records.map((record) => record.runId))).toEqual(new Set(['my.run']));
    expect(run.id).toBe('my.run');
    expect(records.map((record) => record.time)).toEqual(
      records.map((record) => record.time).toSorted((a, b) => a - b),
    );
    for (const record of records) {
      const stored: unknown = JSON.parse(JSON.stringify(record));
      expect(runRecordSchema.parse(stored)).toEqual(stored);
    }
  });

  it('begin with the plan, and end with run.ended', async () => {
    const phases = eventful();
    const { records, wait } = await play(phases, options);
    const [first] = records;
    expect(first?.event).toMatchObject({ type: 'run.started', input: null });
    if (first?.event.type === 'run.started') expect(first.event.fingerprint).toBe(fingerprint(first.event.plan));
    const ends = records.filter((record) => record.event.type === 'run.ended');
    expect(ends).toEqual([records.at(-1)]);
    for (const phase of phases) for (const call of phase.calls) call.report({ tokens: 1 });
    await wait(100_000);
    expect(records.at(-1)?.event.type).toBe('run.ended');
  });

  it('are the same for each subscriber', async () => {
    const story = async () => {
      const { records } = await play(eventful(), { ...options, run: { runId: 'r' } });
      return JSON.stringify(records).replaceAll(/"stack":"[^"]*",?/gu, '');
    };
    expect(await story()).toBe(await story());
  });

  it('have a ULID as run id by default', async () => {
    const { run } = await play([fake('a')]);
    expect(run.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/u);
  });
});

describe('events$', () => {
  it('replays the past to late subscribers, and completes', async () => {
    const { records, run } = await play(eventful(), options);
    expect(await lastValueFrom(run.events$.pipe(toArray()))).toEqual(records);
  });

  it('gives every consumer all records in order, at any time', async () => {
    const run = startRun(pipelineOf([fake('a', { verdicts: ['RETRY: x'] }), fake('b', { after: ['a'] })]));
    const early: RunRecord[] = [];
    const late: RunRecord[] = [];
    let completed = 0;
    run.events$.subscribe({
      next: (record) => {
        early.push(record);
        if (record.event.type === 'phase.retrying') {
          run.events$.subscribe({ next: (one) => late.push(one), complete: () => (completed += 1) });
        }
      },
      complete: () => (completed += 1),
    });
    await run.result;
    await idle();
    expect(late).toEqual(early);
    expect(early.at(-1)?.event.type).toBe('run.ended');
    expect(completed).toBe(2);
  });

  it('stops for a consumer that unsubscribes, and only for that one', async () => {
    const run = startRun(pipelineOf([fake('a'), fake('b', { after: ['a'] })]));
    const some: number[] = [];
    const all: number[] = [];
    const subscription = run.events$.subscribe((record) => {
      some.push(record.seq);
      if (record.seq === 3) subscription.unsubscribe();
    });
    run.events$.subscribe((record) => all.push(record.seq));
    await run.result;
    expect(some).toEqual([1, 2, 3]);
    expect(all.length).toBeGreaterThan(3);
  });
});

describe('eventsFrom()', () => {
  it('continues after the last record of a consumer', async () => {
    const { records, run } = await play(eventful(), options);
    const from = (seq: number) => lastValueFrom(run.eventsFrom(seq).pipe(toArray()));
    expect(await from(5)).toEqual(records.slice(4));
    expect(await from(1)).toEqual(records);
    expect(await from(0)).toEqual(records);
    expect(await from(-7)).toEqual(records);
    expect(await from(records.length)).toEqual(records.slice(-1));
    expect(await from(records.length + 1)).toEqual([]);
  });

  it('waits for a future position', async () => {
    const run = startRun(pipelineOf([fake('a')]));
    const rest = lastValueFrom(run.eventsFrom(4).pipe(toArray()));
    await run.result;
    expect((await rest)[0]?.seq).toBe(4);
  });
});

describe('the functions of a run', () => {
  it('work without their run, and stay the same', async () => {
    const run = startRun(pipelineOf([fake('a', { verdicts: ['ESCALATE: look'] })]));
    const read = (name: string): unknown => Reflect.get(run, name);
    function call(name: string, ...given: readonly unknown[]): unknown {
      const one = read(name);
      if (typeof one !== 'function') throw new TypeError(name);
      return Reflect.apply(one, undefined, given);
    }
    for (const name of ['cancel', 'decide', 'eventsFrom', 'inbox', 'snapshot', 'answer', 'suspend'])
      expect(read(name)).toBe(read(name));
    await firstValueFrom(run.events$.pipe(filter(({ event }) => event.type === 'phase.escalated')));
    expect(call('inbox')).toHaveLength(1);
    expect(call('snapshot')).toEqual(run.snapshot());
    await expect(call('decide', 'b', 'APPROVE')).rejects.toMatchObject({ code: 'NOT_ESCALATED' });
    call('cancel', 'enough');
    call('suspend');
    expect(run.result).toBe(run.result);
    expect((await run.result).status).toBe('cancelled');
  });
});

describe('for await', () => {
  it('yields every record, live and afterwards, and ends with the run', async () => {
    const run = startRun(pipelineOf([fake('a', { verdicts: ['RETRY: x'] })]));
    const live: RunRecord[] = [];
    for await (const record of run) live.push(record);
    const past: RunRecord[] = [];
    for await (const record of run) past.push(record);
    expect(live.at(-1)?.event.type).toBe('run.ended');
    expect(past).toEqual(live);
  });
});

describe('snapshot() and result', () => {
  it('are the fold of the records, at any moment', async () => {
    const seen: (readonly [RunSnapshot, RunSnapshot])[] = [];
    const view = foldRun();
    const run = startRun(pipelineOf(eventful()), { runId: 'r' });
    run.events$.subscribe((record) => {
      view.apply(record);
      seen.push([run.snapshot(), view.snapshot()]);
      if (record.event.type === 'phase.escalated') void run.decide(record.event.phase, 'APPROVE');
    });
    const { outputs, ...result } = await run.result;
    for (const [live, folded] of seen) expect(live).toEqual(folded);
    expect(result).toEqual(view.snapshot());
    expect(run.snapshot()).toEqual(result);
    expect(outputs).toEqual({ a: { work: 'a 3' }, b: { work: 'b 2' } });
  });

  it('can be folded from stored records, and are JSON', async () => {
    const { records, result } = await play(eventful(), options);
    const view = foldRun();
    for (const record of JSON.parse(JSON.stringify(records)) as RunRecord[]) view.apply(record);
    const { outputs: _, ...rest } = result;
    expect(view.snapshot()).toEqual(rest);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it('contain the end of every phase', async () => {
    const { result } = await play(eventful(), { ...options, run: { runId: 'r' } });
    expect(result).toMatchObject({
      runId: 'r',
      pipeline: 'rig',
      status: 'failed',
      waiting: [],
      reason: null,
      limit: null,
      error: null,
      metrics: { attempts: 7, corrections: 2, reviews: 8, costUsd: 0.5, tokens: 3, durationMs: 1000 },
      limitsLeft: { tokens: 997, corrections: 7 },
    });
    expect(
      Object.entries(result.phases).map(([name, one]) => `${name} ${one.status} ${one.attempts} v${one.version}`),
    ).toEqual(['a approved 3 v2', 'b approved 2 v1', 'c rejected 1 v0', 'bad failed 1 v0', 'never skipped 0 v0']);
    expect(result.phases['a']).toMatchObject({
      corrections: 2,
      because: 'approved',
      generation: 1,
      attempt: 2,
      tokens: 3,
      costUsd: 0.5,
      done: ['work'],
      stale: false,
    });
    expect(result.phases['b']).toMatchObject({ read: { a: 2 }, because: 'approved' });
    expect(result.phases['c']).toMatchObject({ reason: 'no', outputs: null });
    expect(result.phases['never']).toMatchObject({ reason: 'bad', startedAt: null });
  });

  it('exist before the first event', () => {
    const run = startRun(pipelineOf([fake('a')]));
    expect(run.snapshot()).toMatchObject({ status: 'running' });
    expect(foldRun().snapshot()).toMatchObject({ status: 'running', phases: {} });
    run.cancel();
    return run.result;
  });
});

describe('outputs and runPipeline()', () => {
  it('return the outputs of a completed run', async () => {
    expect(await runPipeline(pipelineOf([fake('a')]))).toEqual({ a: { work: 'a 1' } });
    const run = startRun(pipelineOf([fake('a')]));
    expect(await run.outputs).toEqual({ a: { work: 'a 1' } });
    expect(await run.outputs).toBe(await run.outputs);
  });

  it('reject with the result of an unsuccessful run', async () => {
    const failed = runPipeline(pipelineOf([fake('a', { outputs: [new Error('broken')] })]));
    await expect(failed).rejects.toBeInstanceOf(RunUnsuccessfulError);
    await expect(failed).rejects.toMatchObject({ code: 'RUN_UNSUCCESSFUL', result: { status: 'failed' } });
  });

  it('cause no unhandled rejection if they are not awaited', async () => {
    const run = startRun(pipelineOf([fake('a', { outputs: [new Error('broken')] })]));
    await run.result;
    await idle();
    expect(run.snapshot().status).toBe('failed');
  });
});
