import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { approve, definePipeline, phase, requestChanges, retry, startRun, task, memoryStore, readRun } from 'phasegate';
import type { RunEvent, RunRecord } from 'phasegate/records';
import { openaiReviewer, openaiTask, type Ask } from 'phasegate/openai';
import { spanObserver } from 'phasegate/otel';
import { describe, expect, it } from 'vitest';
import { nonceIn } from '../openai/server.ts';
import { recorder, spanNamed, spansOf, treeOf } from './spans.ts';

const AT = { phase: 'draft', generation: 0, attempt: 0 };

describe('spans of models', () => {
  it('name the model and its tokens as the GenAI conventions do', async () => {
    const spans = await spansOf(startRun(noteBy(model), { runId: 'r' }));
    expect(spanNamed(spans, 'invoke_agent text').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'text',
      'gen_ai.request.model': 'small-1',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'phasegate.kind': 'task',
      'phasegate.run.id': 'r',
      'phasegate.pipeline': 'note',
      'phasegate.phase': 'draft',
      'phasegate.generation': 0,
      'phasegate.attempt': 0,
      'phasegate.task': 'text',
      'phasegate.outcome': 'completed',
      'phasegate.tries': 1,
      'phasegate.tokens': 120,
      'phasegate.cost_usd': 0.00014,
    });
    expect(spanNamed(spans, 'invoke_agent judge').attributes).toMatchObject({
      'phasegate.kind': 'review',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'judge',
      'gen_ai.request.model': 'small-1',
      'gen_ai.usage.input_tokens': 100,
      'phasegate.verdict': 'approve',
    });
    expect(spanNamed(spans, 'attempt draft').events.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
      {
        name: 'gen_ai.evaluation.result',
        attributes: {
          'gen_ai.evaluation.name': 'judge',
          'gen_ai.evaluation.score.label': 'approve',
          'gen_ai.evaluation.score.value': 0.9,
          'phasegate.by': 'gate',
          'phasegate.confidence': 0.95,
          'phasegate.phase': 'draft',
        },
      },
    ]);
  });

  it('count tokens once by the conventions, and sum them above by names of phasegate', async () => {
    const spans = await spansOf(startRun(noteBy(model)));
    const own = spans.filter((span) => 'gen_ai.usage.input_tokens' in span.attributes);
    expect(own.map((span) => span.name)).toEqual(['invoke_agent text', 'invoke_agent judge']);
    expect(spanNamed(spans, 'invoke_workflow note').attributes).toMatchObject({
      'phasegate.tokens': 240,
      'phasegate.attempts': 1,
      'phasegate.corrections': 0,
    });
  });

  it('name all models if there are several', async () => {
    const draft = phase('draft', {
      tasks: (task) => [
        task('text', {
          run: ({ report }) => {
            report({ model: 'a', inputTokens: 1, outputTokens: 3 });
            report({ model: 'b', inputTokens: 4, outputTokens: 2 });
            return 1;
          },
        }),
      ],
    });
    const spans = await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })));
    const { attributes } = spanNamed(spans, 'invoke_agent text');
    expect(attributes['phasegate.models']).toEqual(['a', 'b']);
    expect(attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 5 });
    expect(attributes).not.toHaveProperty('gen_ai.request.model');
  });
});

describe('spans of reviews', () => {
  const judge = (name: string) =>
    task(name, {
      run: ({ report }) => {
        report({ model: 'a', provider: 'anthropic', inputTokens: 1, outputTokens: 1 });
        return approve();
      },
    });
  const reviewed = (...by: ReturnType<typeof judge>[]) =>
    spansOf(
      startRun(
        definePipeline({
          name: 'p',
          phases: [phase('draft', { tasks: (of) => [of('text', { run: () => 1 })], review: { by } })],
        }),
      ),
    );

  it('are named invoke_agent for a single reviewer that is a model', async () => {
    expect(spanNamed(await reviewed(judge('judge')), 'invoke_agent judge').attributes).toMatchObject({
      'phasegate.kind': 'review',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'judge',
      'gen_ai.provider.name': 'anthropic',
    });
  });

  it('keep the name of their phase if several models review', async () => {
    const { attributes } = spanNamed(await reviewed(judge('one'), judge('two')), 'review draft');
    expect(attributes).not.toHaveProperty('gen_ai.operation.name');
    expect(attributes).toMatchObject({ 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'a' });
  });
});

describe('report()', () => {
  it('counts input and output tokens for limits if their sum is not given', async () => {
    const draft = phase('draft', {
      tasks: (task) => [
        task('text', {
          run: ({ report }) => {
            report({ inputTokens: 70, outputTokens: 50 });
            report({ outputTokens: 1 });
            report({ tokens: 5, inputTokens: 3, outputTokens: 1 });
            return 1;
          },
        }),
      ],
    });
    const run = startRun(definePipeline({ name: 'p', phases: [draft], limits: { tokens: 1000 } }));
    expect((await run.result).metrics.tokens).toBe(126);
  });

  it.each([{ inputTokens: -1 }, { outputTokens: Number.NaN }, { inputTokens: '3' as never }])(
    'refuses %j',
    async (report) => {
      const draft = phase('draft', {
        tasks: (task) => [
          task('text', {
            run: (given) => {
              given.report(report);
              return 1;
            },
          }),
        ],
      });
      const { error } = (await startRun(definePipeline({ name: 'p', phases: [draft] })).result).phases['draft'] ?? {};
      expect(error?.code).toBe('REPORT_INVALID');
      expect(error?.message).toContain(Object.keys(report)[0]);
    },
  );

  it('is recorded with the model', async () => {
    const store = memoryStore();
    await startRun(noteBy(model), { store, runId: 'r' }).result;
    const reports = (await readRun(store, 'r')).flatMap(({ event }) => (event.type === 'task.reported' ? [event] : []));
    const [{ reviewer, tokens, inputTokens, outputTokens, model: name } = {} as never] = reports.filter(
      (one) => one.tokens,
    );
    expect({ reviewer, tokens, inputTokens, outputTokens, name }).toEqual({
      reviewer: false,
      tokens: 120,
      inputTokens: 100,
      outputTokens: 20,
      name: 'small-1',
    });
  });
});

describe('verdicts as log events', () => {
  it('go to the logger, with the span of their attempt, and not to the span', async () => {
    const exporter = new InMemoryLogRecordExporter();
    const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
    const spans = await spansOf(startRun(noteBy(model), { runId: 'r' }), { loggerProvider });
    const attempt = spanNamed(spans, 'attempt draft');
    expect(attempt.events).toEqual([]);
    expect(
      exporter.getFinishedLogRecords().map(({ eventName, severityNumber, spanContext, attributes }) => ({
        eventName,
        severityNumber,
        span: spanContext?.spanId,
        attributes,
      })),
    ).toEqual([
      {
        eventName: 'gen_ai.evaluation.result',
        severityNumber: 9,
        span: attempt.spanContext().spanId,
        attributes: {
          'gen_ai.evaluation.name': 'judge',
          'gen_ai.evaluation.score.label': 'approve',
          'gen_ai.evaluation.score.value': 0.9,
          'phasegate.by': 'gate',
          'phasegate.confidence': 0.95,
          'phasegate.phase': 'draft',
        },
      },
    ]);
  });

  it('are errors without a verdict', async () => {
    const exporter = new InMemoryLogRecordExporter();
    const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
    const draft = phase('draft', {
      tasks: (of) => [of('text', { run: () => 1 })],
      review: { by: task('judge', { run: () => Promise.reject(new Error('No answer.')) }), maxReviewErrors: 0 },
    });
    await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })), { loggerProvider });
    expect(exporter.getFinishedLogRecords()).toMatchObject([
      {
        severityNumber: 17,
        attributes: { 'error.type': 'TASK_FAILED', 'gen_ai.evaluation.explanation': 'No answer.' },
      },
    ]);
  });
});

describe('verdicts', () => {
  it('are events of the attempt, each with the answer of its reviewer', async () => {
    const draft = phase('draft', {
      tasks: (task) => [task('text', { run: () => 1 })],
      review: {
        by: [
          { name: 'strict', run: () => ({ ...retry('Too long.', { requiredChange: 'Halve it.' }), confidence: 0.9 }) },
          {
            name: 'broken',
            run: () => {
              throw new Error('No answer.');
            },
          },
          { name: 'calm', run: () => requestChanges([{ severity: 'low', description: 'A typo.' }]) },
        ].map(({ name, run }) => task(name, { run })),
        quorum: 1,
        maxReviewErrors: 0,
      },
    });
    const spans = await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })));
    expect(spanNamed(spans, 'attempt draft').events.map(({ attributes }) => attributes)).toMatchInlineSnapshot(`
      [
        {
          "gen_ai.evaluation.explanation": "Too long.",
          "gen_ai.evaluation.name": "strict",
          "gen_ai.evaluation.score.label": "retry",
          "phasegate.by": "gate",
          "phasegate.confidence": 0.9,
          "phasegate.phase": "draft",
          "phasegate.required_change": "Halve it.",
        },
        {
          "gen_ai.evaluation.explanation": "A typo.",
          "gen_ai.evaluation.name": "calm",
          "gen_ai.evaluation.score.label": "retry",
          "phasegate.by": "gate",
          "phasegate.issues": 1,
          "phasegate.phase": "draft",
        },
        {
          "error.type": "TASK_FAILED",
          "gen_ai.evaluation.explanation": "No answer.",
          "gen_ai.evaluation.name": "gate",
          "gen_ai.evaluation.score.label": "unavailable",
          "phasegate.by": "gate",
          "phasegate.phase": "draft",
        },
      ]
    `);
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_workflow p failed ERROR REVIEW_UNAVAILABLE: Phase "draft" failed: Cannot judge phase "draft" as its review was unavailable in one try: No answer.",
        "  phase draft failed ERROR REVIEW_UNAVAILABLE: Cannot judge phase "draft" as its review was unavailable in one try: No answer.",
        "    attempt draft failed ERROR REVIEW_UNAVAILABLE: Cannot judge phase "draft" as its review was unavailable in one try: No answer. [evaluation.result] [evaluation.result] [evaluation.result]",
        "      task text completed",
        "      review draft failed ERROR TASK_FAILED: No answer.",
      ]
    `);
  });

  it('of checks have no reviewer', async () => {
    const draft = phase('draft', {
      tasks: (task) => [task('text', { run: () => 1 })],
      review: { by: () => approve(), checks: [{ name: 'length', run: () => 'Halve it.' }], maxRetries: 0 },
    });
    const spans = await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })));
    expect(spanNamed(spans, 'attempt draft').events[0]?.attributes).toMatchObject({
      'gen_ai.evaluation.name': 'checks',
      'gen_ai.evaluation.score.label': 'retry',
    });
  });

  it('that the only reviewer could not give belong to the gate, as errors', async () => {
    const draft = phase('draft', {
      tasks: (task) => [task('text', { run: () => 1 })],
      review: {
        by: () => {
          throw new Error('No answer.');
        },
        maxReviewErrors: 0,
      },
    });
    const spans = await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })));
    expect(spanNamed(spans, 'attempt draft').events[0]?.attributes).toMatchObject({
      'gen_ai.evaluation.name': 'gate',
      'gen_ai.evaluation.score.label': 'unavailable',
      'gen_ai.evaluation.explanation': 'No answer.',
      'error.type': 'TASK_FAILED',
    });
  });

  it('that are invalid are errors only if the gate asks again', async () => {
    const statuses = ['approve', 'ask'] as const;
    const made = statuses.map(async (onUnrecognised) => {
      const draft = phase('draft', {
        tasks: (task) => [task('text', { run: () => 1 })],
        review: { by: () => 'Well, well.', onUnrecognised, maxReviewErrors: 0 },
      });
      const spans = await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })));
      return spanNamed(spans, 'review draft').attributes['error.type'];
    });
    expect(await Promise.all(made)).toEqual([undefined, 'unrecognised']);
  });
});

describe('events without work', () => {
  it.each<[RunEvent, string, Readonly<Record<string, unknown>>]>([
    [{ type: 'phase.read', ...AT, source: 'plan' }, 'attempt draft', { 'phasegate.source': 'plan' }],
    [
      { type: 'phase.warned', ...AT, code: 'PROMPT_GREW', message: 'Twice.' },
      'attempt draft',
      { 'phasegate.code': 'PROMPT_GREW', 'phasegate.message': 'Twice.' },
    ],
    [
      { type: 'check.baselined', ...AT, passed: ['lint'], failed: [{ check: 'test', details: '1 failed' }] },
      'attempt draft',
      { 'phasegate.passed': ['lint'], 'phasegate.failed': ['test'] },
    ],
    [
      { type: 'phase.unaffected', phase: 'draft', source: 'plan', version: 2 },
      'attempt draft',
      { 'phasegate.source': 'plan', 'phasegate.version': 2 },
    ],
    [{ type: 'attempt.unchanged', ...AT, times: 2 }, 'attempt draft', { 'phasegate.times': 2 }],
    [
      { type: 'loop.detected', ...AT, kind: 'feedback', issues: [], rewinds: [], times: 2 },
      'attempt draft',
      { 'phasegate.loop': 'feedback', 'phasegate.times': 2 },
    ],
    [
      { type: 'loop.detected', ...AT, kind: 'rewind', issues: [], rewinds: [{ from: 'draft', to: 'plan' }] },
      'attempt draft',
      { 'phasegate.loop': 'rewind', 'phasegate.rewinds': ['draft → plan'] },
    ],
    [
      { type: 'limit.reached', limit: 'tokens', used: 12, max: 10, holds: 'draft' },
      'attempt draft',
      { 'phasegate.limit': 'tokens', 'phasegate.used': 12, 'phasegate.max': 10 },
    ],
    [
      { type: 'limit.reached', limit: 'tokens', used: 12, max: 10, holds: null },
      'invoke_workflow',
      { 'phasegate.limit': 'tokens' },
    ],
    [
      { type: 'limit.lifted', limit: 'tokens', who: 'ada' },
      'invoke_workflow',
      { 'phasegate.limit': 'tokens', 'phasegate.who': 'ada' },
    ],
    [
      { type: 'item.changed', item: 7, change: 'raised', severity: 'high' },
      'invoke_workflow',
      { 'phasegate.item': 7, 'phasegate.change': 'raised' },
    ],
    [{ type: 'phase.stale', phase: 'done', because: 'plan' }, 'invoke_workflow', { 'phasegate.because': 'plan' }],
    [{ type: 'phase.cancelled', phase: 'idle', because: 'run' }, 'invoke_workflow', { 'phasegate.phase': 'idle' }],
  ])('%j is an event of the innermost open span', async (event, span, attributes) => {
    const events: RunEvent[] = [{ type: 'phase.started', ...AT }, event];
    const spans = await spansOf(events.map((one, at) => ({ runId: 'r', seq: at + 5, time: at, event: one })));
    const [told] = spanNamed(spans, span).events;
    expect(told?.name).toBe(`phasegate.${event.type}`);
    expect(told?.attributes).toMatchObject(attributes);
  });
});

describe('texts and names', () => {
  it('may be anything that records accept', () => {
    const { tracerProvider, spans, open } = recorder();
    const observer = spanObserver({ tracerProvider });
    const names = ['__proto__', 'constructor', 'toString', '', '\u0000\u001B[31m', '\uD800', 'x'.repeat(100_000)];
    let seq = 0;
    const say = (event: RunEvent) => {
      const record: RunRecord = { runId: '__proto__', seq: (seq += 1), time: seq, event };
      observer.next(record);
    };
    for (const name of names) {
      const at = { phase: name, generation: 0, attempt: 0 };
      const error = { code: name, name, message: name };
      say({ type: 'phase.started', ...at });
      say({ type: 'task.started', ...at, task: name, try: 1 });
      say({ type: 'task.failed', ...at, task: name, try: 1, error });
      say({ type: 'review.started', ...at, asked: 0 });
      const verdict = { type: 'unavailable', error } as const;
      say({ type: 'review.decided', ...at, verdict, verdicts: { [name]: verdict }, by: 'gate' });
      say({
        type: 'phase.rewinding',
        ...at,
        target: name,
        correction: { attempt: 0, from: name, feedback: name },
        by: 'gate',
        spent: 1,
      });
      say({ type: 'phase.invalidated', phase: name, generation: 1, because: name });
      say({ type: 'phase.failed', ...at, error });
    }
    observer.complete();
    expect(open()).toBe(0);
    expect(spans().filter((span) => span.attributes['phasegate.kind'] === 'task')).toHaveLength(names.length);
  });

  it('are cut if they are long', async () => {
    const draft = phase('draft', {
      tasks: (task) => [task('text', { run: () => 1 })],
      review: { by: () => retry(`x${'😀'.repeat(10_000)}`), maxRetries: 0 },
    });
    const spans = await spansOf(startRun(definePipeline({ name: 'p', phases: [draft] })));
    const said = String(spanNamed(spans, 'attempt draft').events[0]?.attributes?.['gen_ai.evaluation.explanation']);
    expect(said).toBe(`x${'😀'.repeat(2047)}…`);
  });
});

// --- internal ---

/** A model that approves in reviews, and otherwise writes. */
const model: Ask = ({ messages }) => {
  const system = messages[0]?.content ?? '';
  const verdict = { verdict: 'approved', required_change: null, critique: '', conf: 0.95, score: 0.9, issues: [] };
  const isReview = system.includes('"nonce"');
  const text = isReview ? JSON.stringify({ nonce: nonceIn(system), ...verdict, prior_findings: [] }) : 'Gates help.';
  return Promise.resolve({ text, usage: { inputTokens: 100, outputTokens: 20 } });
};

function noteBy(ask: Ask) {
  const asked = {
    ask,
    model: 'small-1',
    provider: 'mistral_ai',
    prices: { 'small-1': { inputPerMillion: 1, outputPerMillion: 2 } },
  };
  const text = openaiTask('text', { description: 'Write a note.', ...asked });
  const judge = openaiReviewer('judge', { criteria: 'It is short.', ...asked });
  return definePipeline({ name: 'note', phases: [phase('draft', { tasks: [text], review: judge })] });
}
