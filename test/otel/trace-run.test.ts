import { setTimeout as wait } from 'node:timers/promises';
import { context, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import {
  approve,
  definePipeline,
  escalate,
  needsRework,
  phase,
  reject,
  resumeRun,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Pipeline,
  type TaskContext,
  memoryStore,
  readRun,
} from 'phasegate';
import type { RunRecord } from 'phasegate/records';
import { spanObserver, traceRun } from 'phasegate/otel';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { millis, recorder, spanNamed, spansOf, treeOf } from './spans.ts';

describe('traceRun()', () => {
  it('builds a tree of run, phases, attempts, tasks and reviews', async () => {
    //  plan ──▶ build      plan is retried once, build sends it back once, and the first review of build breaks
    //     └───▶ notes
    const run = startRun(pipelineWithAll(), { clock: ticking() });
    expect(treeOf(await spansOf(run))).toMatchInlineSnapshot(`
      [
        "invoke_workflow all completed [phase.invalidated]",
        "  phase plan approved",
        "    attempt plan retrying [evaluation.result] [phase.retrying]",
        "      task text completed",
        "      review plan decided",
        "    attempt plan approved [evaluation.result]",
        "      task text completed",
        "      review plan decided",
        "  phase build approved",
        "    attempt build rewinding [evaluation.result] [evaluation.result] [phase.rewinding]",
        "      task code completed",
        "      task docs completed [task.retrying]",
        "      review build failed ERROR TASK_FAILED: The reviewer is ill.",
        "      review build decided",
        "    attempt build approved [evaluation.result]",
        "      task code completed",
        "      task docs completed",
        "      review build decided",
        "  phase notes approved",
        "    attempt notes approved",
        "      task text completed",
        "  phase plan approved ← rewind attempt build",
        "    attempt plan approved [evaluation.result]",
        "      task text completed",
        "      review plan decided",
        "  phase notes approved ← invalidation phase plan",
        "    attempt notes approved",
        "      task text completed",
      ]
    `);
  });

  it('marks only the spans of a failure as errors', async () => {
    const broken = phase('broken', {
      tasks: (task) => [
        task('throws', {
          run: () => {
            throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' });
          },
        }),
        task('waits', { run: ({ signal }) => wait(60_000, null, { signal }) }),
      ],
    });
    const after = phase('after', { after: [broken], tasks: (task) => [task('work', { run: () => 1 })] });
    const refused = phase('refused', {
      tasks: (task) => [task('work', { run: () => 1 })],
      review: () => reject('Out of scope.'),
    });
    const pipeline = definePipeline({ name: 'bad', phases: [broken, after, refused] });
    const spans = await spansOf(startRun(pipeline, { clock: ticking() }));
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow bad failed ERROR ENOSPC: Phase "broken" failed: The disk is full. [phase.skipped]",
        "  phase broken failed ERROR ENOSPC: The disk is full.",
        "    attempt broken failed ERROR ENOSPC: The disk is full.",
        "      task throws failed ERROR ENOSPC: The disk is full. [exception]",
        "      task waits failed ERROR ABORT_ERR: The operation was aborted [exception]",
        "  phase refused rejected ERROR rejected: Out of scope.",
        "    attempt refused rejected ERROR rejected: Out of scope. [evaluation.result]",
        "      task work completed",
        "      review refused decided",
      ]
    `);
    expect(spanNamed(spans, 'task throws').events[0]?.attributes).toMatchObject({
      'exception.type': 'Error',
      'exception.message': 'The disk is full.',
    });
  });

  it('reports demands of tasks without an error', async () => {
    const plan = phase('plan', { tasks: (task) => [task('text', { run: ({ generation }) => generation })] });
    const build = phase('build', {
      after: [plan],
      tasks: (task) => [
        task('code', {
          run: ({ inputs }) => {
            if (inputs.plan.text === 0) throw needsRework('plan', 'Say which database.');
            return 1;
          },
        }),
      ],
      review: () => approve(),
    });
    const run = startRun(definePipeline({ name: 'p', phases: [plan, build] }), { clock: ticking() });
    expect(treeOf(await spansOf(run))).toMatchInlineSnapshot(`
      [
        "invoke_workflow p completed",
        "  phase plan approved",
        "    attempt plan approved",
        "      task text completed",
        "  phase build approved",
        "    attempt build rewinding [evaluation.result] [phase.rewinding]",
        "      task code rework",
        "    attempt build approved [evaluation.result]",
        "      task code completed",
        "      review build decided",
        "  phase plan approved ← rewind attempt build",
        "    attempt plan approved",
        "      task text completed",
      ]
    `);
  });

  it('reports people in the attempt that waits for them', async () => {
    const draft = phase('draft', {
      tasks: (task) => [task('text', { run: () => 1 })],
      review: () => escalate('Is this legal?'),
    });
    const run = startRun(definePipeline({ name: 'p', phases: [draft] }), { clock: ticking(), attended: true });
    const spans = spansOf(run);
    run.events$.subscribe(({ event }) => {
      if (event.type === 'phase.escalated') queueMicrotask(() => void run.decide('draft', approve()));
    });
    expect(treeOf(await spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow p completed",
        "  phase draft approved",
        "    attempt draft approved [evaluation.result] [phase.escalated] [evaluation.result]",
        "      task text completed",
        "      review draft decided",
      ]
    `);
    expect(spanNamed(await spans, 'attempt draft').events.map((event) => event.attributes)).toMatchInlineSnapshot(`
      [
        {
          "gen_ai.evaluation.explanation": "Is this legal?",
          "gen_ai.evaluation.name": "review",
          "gen_ai.evaluation.score.label": "escalate",
          "phasegate.by": "gate",
          "phasegate.phase": "draft",
        },
        {
          "phasegate.because": "requested",
          "phasegate.phase": "draft",
          "phasegate.reason": "Is this legal?",
        },
        {
          "gen_ai.evaluation.name": "person",
          "gen_ai.evaluation.score.label": "approve",
          "phasegate.by": "person",
          "phasegate.phase": "draft",
        },
      ]
    `);
  });

  it('reports a reflection before the tasks of an attempt, with its model and its tries', async () => {
    const spans = await spansOf(await recordsOf(reflecting(['busy', 'Cite.'])));
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow p completed",
        "  phase draft approved",
        "    attempt draft retrying [evaluation.result] [phase.retrying]",
        "      task work completed",
        "      review draft decided",
        "    attempt draft approved [phase.reflected] [attempt.unchanged] [evaluation.result]",
        "      invoke_agent learn completed [task.retrying]",
        "      task work completed",
        "      review draft decided",
      ]
    `);
    const learn = spanNamed(spans, 'invoke_agent learn');
    expect(learn.attributes).toMatchObject({
      'phasegate.kind': 'reflection',
      'phasegate.task': 'learn',
      'phasegate.tries': 2,
      'gen_ai.request.model': 'small-1',
      'gen_ai.usage.input_tokens': 6,
    });
    const work = spans.filter((span) => span.name === 'task work')[1];
    expect(millis(learn.endTime)).toBeLessThanOrEqual(millis(work?.startTime ?? [0, 0]));
  });

  it('reports a failed reflection, and an interrupted one', async () => {
    const failed = await spansOf(await recordsOf(reflecting(['busy', 'busy'])));
    expect(treeOf(failed)).toContain(
      '      invoke_agent learn failed ERROR REFLECTION_FAILED: The attempt works without a reflection [task.retrying]',
    );
    const records = await recordsOf(reflecting(['busy', 'Cite.']));
    const at = records.findIndex(({ event }) => event.type === 'task.retrying');
    const time = records[at]?.time ?? 0;
    const resumed = { runId: records[0]?.runId ?? '', seq: 0, time: time + 5, event: { type: 'run.resumed' } } as never;
    const spans = await spansOf([...records.slice(0, at + 1), resumed, ...records.slice(at + 1)]);
    const learns = spans.filter((span) => span.name === 'invoke_agent learn');
    expect(learns.map((span) => span.attributes['phasegate.outcome'])).toEqual(['interrupted', 'completed']);
    expect(learns.map((span) => millis(span.startTime) - time)).toEqual([expect.any(Number), 5]);
    expect(learns.map((span) => millis(span.endTime) - time)[0]).toBe(0);
  });

  it('takes all times from the records, including those before the process', async () => {
    const records = await recordsOf(pipelineWithAll(), 1_000);
    const spans = await spansOf(records);
    const times = new Set(records.map(({ time }) => time));
    expect(
      spans.flatMap(({ startTime, endTime }) => [startTime, endTime]).filter((at) => !times.has(millis(at))),
    ).toEqual([]);
    expect(spans.flatMap(({ events }) => events).filter(({ time }) => !times.has(millis(time)))).toEqual([]);
    const whole = spanNamed(spans, 'invoke_workflow all');
    expect(whole.attributes).toMatchObject({ 'phasegate.attempts': 7, 'phasegate.corrections': 2 });
    expect([millis(whole.startTime), millis(whole.endTime)]).toEqual([records[0]?.time, records.at(-1)?.time]);
  });

  it('builds the same spans from a stored run', async () => {
    const store = memoryStore();
    const run = startRun(pipelineWithAll(), { clock: ticking(), store, runId: 'kept' });
    const live = await spansOf(run);
    const kept = await spansOf(await readRun(store, 'kept'));
    expect(facts(kept)).toEqual(facts(live));
    expect(facts(kept)).toHaveLength(live.length);
  });

  it('continues if another process has resumed the run', async () => {
    const { pipeline, store } = await leftInTheMiddle();
    await (
      await resumeRun(store, 'left', pipeline, { clock: ticking(LATER) })
    ).result;
    const records = await readRun(store, 'left');
    expect(treeOf(await spansOf(records))).toMatchInlineSnapshot(`
      [
        "invoke_workflow p completed [run.resumed]",
        "  phase one approved",
        "    attempt one approved [evaluation.result]",
        "      task quick completed",
        "      task slow interrupted",
        "      task slow completed",
        "      review one decided",
      ]
    `);
    const resumed = records.find(({ event }) => event.type === 'run.resumed');
    const before = records[Number(resumed?.seq) - 2];
    const interrupted = (await spansOf(records)).find((span) => span.attributes['phasegate.outcome'] === 'interrupted');
    expect(interrupted && millis(interrupted.endTime)).toBe(before?.time);
  });

  it('ends open spans at the last record, and marks them', async () => {
    const { store } = await leftInTheMiddle();
    expect(treeOf(await spansOf(await readRun(store, 'left')))).toMatchInlineSnapshot(`
      [
        "invoke_workflow p unfinished",
        "  phase one unfinished",
        "    attempt one unfinished",
        "      task quick completed",
        "      task slow unfinished",
      ]
    `);
  });

  it('begins at the first record, and marks it', async () => {
    const { pipeline, store } = await leftInTheMiddle();
    const run = await resumeRun(store, 'left', pipeline, { clock: ticking(LATER) });
    await run.result;
    const records = await readRun(store, 'left');
    const resumed = records.findIndex(({ event }) => event.type === 'run.resumed');
    const spans = await spansOf(records.slice(resumed));
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow completed [run.resumed]",
        "  phase one approved",
        "    attempt one approved [evaluation.result]",
        "      task slow completed",
        "      review one decided",
      ]
    `);
    const marked = spans.filter((span) => span.attributes['phasegate.start_unknown'] === true);
    expect(marked.map((span) => span.name)).toEqual(['attempt one', 'phase one', 'invoke_workflow']);
  });

  it('begins another span for a retried run, and links it to the first', async () => {
    let isBroken = true;
    const store = memoryStore();
    const one = phase('one', {
      tasks: (task) => [
        task('work', {
          run: () => {
            if (isBroken) throw new Error('No network.');
            return 1;
          },
        }),
      ],
    });
    const pipeline = definePipeline({ name: 'p', phases: [one] });
    await startRun(pipeline, { store, runId: 'again', clock: ticking() }).result;
    isBroken = false;
    await (
      await retryRun(store, 'again', pipeline, { clock: ticking(LATER) })
    ).result;
    expect(treeOf(await spansOf(await readRun(store, 'again')))).toMatchInlineSnapshot(`
      [
        "invoke_workflow p failed ERROR TASK_FAILED: Phase "one" failed: No network.",
        "  phase one failed ERROR TASK_FAILED: No network.",
        "    attempt one failed ERROR TASK_FAILED: No network.",
        "      task work failed ERROR TASK_FAILED: No network. [exception]",
        "invoke_workflow completed [run.resumed] [run.reopened] ← reopened invoke_workflow p",
        "  phase one approved",
        "    attempt one approved",
        "      task work completed",
      ]
    `);
  });

  it('ends open spans if reading the records fails, and passes the failure on', async () => {
    const records = await recordsOf(pipelineWithAll());
    const { tracerProvider, spans } = recorder();
    const failing = (async function* read() {
      yield* records.slice(0, 6);
      throw new Error('The store is gone.');
    })();
    await expect(traceRun(failing, { tracerProvider })).rejects.toThrow('The store is gone.');
    expect(spans().find((span) => span.name.startsWith('invoke_workflow'))?.attributes['phasegate.outcome']).toBe(
      'unfinished',
    );
  });

  it('ends every span once and not before its start, for every range of records', async () => {
    const records = [...(await recordsOf(pipelineWithAll())), ...(await resumedRecords())];
    for (let from = 0; from < records.length; from += 1) {
      for (let to = from + 1; to <= records.length; to += 1) {
        const { tracerProvider, spans, open } = recorder();
        await traceRun(records.slice(from, to), { tracerProvider });
        expect(open()).toBe(0);
        expect(spans().filter(({ duration }) => millis(duration) < 0)).toEqual([]);
      }
    }
  }, 240_000);

  it('keeps spans in order if the clock is set back', async () => {
    const records = (await recordsOf(pipelineWithAll())).map((record) => ({ ...record, time: 1e12 - record.time }));
    const spans = await spansOf(records);
    expect(spans.filter(({ duration }) => millis(duration) !== 0)).toEqual([]);
  });

  it('keeps no data of ended phases, for 10 000 phases', async () => {
    const phases = Array.from({ length: 10_000 }, (_, at) =>
      phase(`p${at}`, { tasks: (task) => [task('t', { run: () => at })], review: () => approve() }),
    );
    const { tracerProvider, spans, most } = recorder({ keep: false });
    await traceRun(startRun(definePipeline({ name: 'wide', phases, concurrency: 4 })), { tracerProvider });
    expect(spans()).toEqual([]);
    // The open spans are those of the run, and of four phases with their attempts.
    expect(most()).toBeLessThanOrEqual(1 + 4 * 2 + 1);
  }, 240_000);
});

describe('spanObserver()', () => {
  it('takes the records of several runs at once', async () => {
    const one = phase('one', { tasks: (task) => [task('work', { run: () => 1 })] });
    const { tracerProvider, spans } = recorder();
    const observer = spanObserver({ tracerProvider, parent: ROOT_CONTEXT });
    const runs = ['a', 'b'].map((name) => startRun(definePipeline({ name, phases: [one] }), { runId: name }));
    const [a = [], b = []] = await Promise.all(runs.map((run) => all(run)));
    for (const [at, record] of a.entries()) {
      observer.next(record);
      const other = b[at];
      if (other) observer.next(other);
    }
    expect(
      new Set(spans().map((span) => `${span.spanContext().traceId} ${String(span.attributes['phasegate.run.id'])}`))
        .size,
    ).toBe(2);
    expect(spans()).toHaveLength(8);
  });

  it('links retried runs to those of the last 1000 that have ended, and forgets older ones', async () => {
    const one = phase('one', { tasks: (task) => [task('work', { run: () => 1 })] });
    const records = await recordsOf(definePipeline({ name: 'p', phases: [one] }));
    const { tracerProvider, spans } = recorder();
    const observer = spanObserver({ tracerProvider, parent: ROOT_CONTEXT });
    const names = Array.from({ length: 1001 }, (_, nth) => `run ${nth}`);
    for (const runId of [...names, 'run 1', 'run 0']) for (const record of records) observer.next({ ...record, runId });
    const again = spans()
      .filter((span) => span.name === 'invoke_workflow p')
      .slice(-2);
    expect(again.map((span) => [span.attributes['phasegate.run.id'], span.links.length])).toEqual([
      ['run 1', 1],
      ['run 0', 0],
    ]);
  });

  it('accepts records of a subscription', async () => {
    const { tracerProvider, spans } = recorder();
    const run = startRun(pipelineWithAll());
    run.events$.subscribe(spanObserver({ tracerProvider }));
    await run.result;
    expect(spans().at(-1)?.name).toBe('invoke_workflow all');
  });
});

describe('options.parent', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const header = `00-${traceId}-b7ad6b7169203331-01`;

  it('makes a run part of the trace of a context', async () => {
    const { tracerProvider, spans } = recorder();
    const caller = tracerProvider.getTracer('caller').startSpan('request');
    const parent: Context = trace.setSpan(context.active(), caller);
    await traceRun(await recordsOf(pipelineWithAll()), { tracerProvider, parent });
    const whole = spanNamed(spans(), 'invoke_workflow all');
    expect(whole.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it('makes a run part of a trace of another process', async () => {
    const parent = { traceparent: header, tracestate: 'vendor=1' };
    const whole = spanNamed(await spansOf(await recordsOf(pipelineWithAll()), { parent }), 'invoke_workflow all');
    expect(whole.spanContext().traceId).toBe(traceId);
    expect(whole.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true });
    expect(whole.spanContext().traceState?.get('vendor')).toBe('1');
  });

  it("respects the caller's decision not to sample", async () => {
    const parent = { traceparent: header.replace(/01$/u, '00') };
    expect(await spansOf(await recordsOf(pipelineWithAll()), { parent })).toEqual([]);
  });

  it.each([
    '',
    'x',
    header.toUpperCase(),
    `ff${header.slice(2)}`,
    header.replace(traceId, '0'.repeat(32)),
    `${header}-x`,
  ])('starts a new trace for the header "%s"', async (traceparent) => {
    const spans = await spansOf(await recordsOf(pipelineWithAll()), { parent: { traceparent } });
    const whole = spanNamed(spans, 'invoke_workflow all');
    expect(whole.parentSpanContext).toBeUndefined();
    expect(whole.spanContext().traceId).not.toBe(traceId);
  });
});

// --- internal ---

/** A phase that is sent back once. @param said The result of its reflection at each try; `busy` is an error. */
function reflecting(said: readonly string[]) {
  let tries = 0;
  const learn = task('learn', {
    retry: { attempts: 2, backoff: { first: 1 } },
    run: ({ report }: TaskContext) => {
      report({ model: 'small-1', inputTokens: 3, outputTokens: 1 });
      const one = said[tries++];
      if (one === 'busy') throw new Error(one);
      return one;
    },
  });
  const draft = phase('draft', {
    tasks: (task) => [task('work', { run: () => 1 })],
    review: {
      by: ({ attempt }) => (attempt === 0 ? retry('No sources.') : approve()),
      strategy: 'reflexion',
      reflect: learn,
    },
  });
  return definePipeline({ name: 'p', phases: [draft] });
}

/** A pipeline with a retry, a rewind, a failed review, task retries, parallel phases and parallel tasks. */
function pipelineWithAll() {
  let tries = 0;
  let reviews = 0;
  const plan = phase('plan', {
    tasks: (task) => [task('text', { run: ({ attempt }) => attempt })],
    review: ({ attempt, generation }) => (attempt + generation === 0 ? retry('Name three goals.') : approve()),
  });
  const build = phase('build', {
    after: [plan],
    tasks: (task) => [
      task('code', { run: () => 1 }),
      task('docs', {
        retry: { attempts: 2, backoff: { first: 1 } },
        run: () => {
          tries += 1;
          if (tries === 1) throw new Error('Busy.');
          return 2;
        },
      }),
    ],
    review: {
      by: () => {
        reviews += 1;
        if (reviews === 1) throw new Error('The reviewer is ill.');
        return reviews === 2 ? retryPredecessor('plan', 'Goal 2 cannot be built.') : approve();
      },
      reviewBackoff: { first: 1 },
      invalidate: 'all',
    },
  });
  const notes = phase('notes', { after: [plan], tasks: (task) => [task('text', { run: () => 3 })] });
  return definePipeline({ name: 'all', phases: [plan, build, notes] });
}

const LATER = Date.UTC(2026, 0, 2);

/** A clock that gives each record another time. */
function ticking(from = Date.UTC(2026, 0, 1)) {
  let now = from;
  return {
    now: () => (now += 1),
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
    clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
  };
}

async function all(run: AsyncIterable<RunRecord>): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  for await (const record of run) records.push(record);
  return records;
}

function recordsOf(pipeline: Pipeline<unknown>, from?: number): Promise<readonly RunRecord[]> {
  return all(startRun(pipeline, { clock: ticking(from) }));
}

/** Leaves a run while one of two tasks is running. */
async function leftInTheMiddle() {
  const store = memoryStore();
  const begun = withResolvers();
  let isHeld = true;
  const one = phase('one', {
    tasks: (task) => [
      task('quick', { run: () => 1 }),
      task('slow', {
        run: async ({ signal }) => {
          if (!isHeld) return 2;
          begun.resolve();
          return wait(60_000, null, { signal });
        },
      }),
    ],
    review: () => approve(),
  });
  const pipeline = definePipeline({ name: 'p', phases: [one] });
  const run = startRun(pipeline, { store, runId: 'left', clock: ticking() });
  await begun.promise;
  run.suspend();
  await run.result;
  isHeld = false;
  return { store, pipeline };
}

async function resumedRecords(): Promise<readonly RunRecord[]> {
  const { store, pipeline } = await leftInTheMiddle();
  await (
    await resumeRun(store, 'left', pipeline, { clock: ticking(LATER) })
  ).result;
  return readRun(store, 'left');
}

function withResolvers() {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, resolve: () => open() };
}

/** Returns the parts of spans that depend only on the records. */
function facts(spans: readonly ReadableSpan[]) {
  return spans.map(({ name, kind, startTime, endTime, attributes, status, events, links }) => ({
    name,
    kind,
    startTime,
    endTime,
    attributes,
    status,
    events,
    links: links.map((link) => link.attributes),
  }));
}
