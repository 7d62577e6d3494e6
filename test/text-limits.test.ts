/** Texts from outside obey the limits of docs/semantics.md: longer ones are refused, or cut with a note. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadYaml, pipelineOf } from '../src/cli/load/yaml/load.ts';
import {
  approve,
  definePipeline,
  escalate,
  human,
  needsRework,
  parseDecision,
  phase,
  reject,
  requestChanges,
  resumeRun,
  retry,
  retryPredecessor,
  startRun,
  task,
  type ReviewFunction,
  type Run,
  memoryStore,
  readRun,
} from '../src/index.ts';
import type { EventOf, RunEvent, RunRecord } from '../src/records.ts';
import { errorInfo } from '../src/model/errors/phasegate-error.ts';
import { cutEnd, elided, TEXT_LIMITS } from '../src/model/values/text-limits.ts';
import { idle } from './rig.ts';
import { keep } from './kept-run.ts';

const HUGE = 20_000_000;

/** Runs a phase `note` to its end, with `review` as its gate. */
async function noted(by: ReviewFunction<never, never> | undefined, more: object = {}, run: unknown = () => 'a note') {
  const store = memoryStore();
  const note = phase('note', {
    tasks: [task('write', { run: run as never })],
    ...((by || 'checks' in more) && {
      review: { reviewBackoff: { first: 0 }, ...more, ...(by && { by: by as never }) },
    }),
  });
  const started = startRun(definePipeline({ name: 'p', phases: [note] }), { store, runId: 'run' });
  const result = await started.result;
  return { result, records: await readRun(store, 'run') };
}

function untyped(answer: unknown): never {
  return answer as never;
}

function eventsOf<T extends RunEvent['type']>(records: readonly RunRecord[], type: T): readonly EventOf<T>[] {
  return records.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));
}

function sizeOf(records: readonly RunRecord[]): number {
  return JSON.stringify(records).length;
}

describe('the table of limits', () => {
  it('in docs/semantics.md agrees with the code', () => {
    const rows = readFileSync('docs/semantics.md', 'utf8').matchAll(/^\| `(\w+)` +\|[^|]+\| +([\d ]+?) +\|/gmu);
    const told = [...rows].map(([, name, number = '']) => [name, Number(number.replaceAll(' ', ''))]);
    expect(Object.fromEntries(told)).toEqual(TEXT_LIMITS);
  });
});

describe('a cut text', () => {
  it.each([elided, cutEnd])('by %o has no split characters, and notes the omission', (cut) => {
    const text = '😀'.repeat(500);
    for (let most = 50; most < 90; most += 1) {
      const short = cut(text, most);
      expect(Buffer.from(short).toString()).toBe(short);
      const left = Number(/… (\d+) characters left out/u.exec(short)?.[1]);
      expect(short.replace(/ \[…[^\]]*\] ?/u, '').length + left).toBe(1000);
    }
    expect(cut(text, 1000)).toBe(text);
  });

  it('by elided() has the maximum length, and is not cut again', () => {
    for (const length of [99, 100, 101, 10_000]) {
      const short = elided('x'.repeat(length), 100);
      expect(short.length).toBeLessThanOrEqual(100);
      expect(short === 'x'.repeat(length)).toBe(length <= 100);
      expect(elided(short, 100)).toBe(short);
    }
  });

  it('of an error has a short code and name, too', () => {
    const error = Object.assign(new Error('m'.repeat(HUGE)), { code: 'c'.repeat(HUGE), name: 'n'.repeat(HUGE) });
    error.stack = 's'.repeat(HUGE);
    expect(JSON.stringify(errorInfo(error)).length).toBeLessThan(3 * TEXT_LIMITS.error);
  });
});

describe('feedback and reasons of a decision', () => {
  const most = TEXT_LIMITS.feedback;

  it.each([most - 1, most, most + 1])('of %i characters are recorded up to the limit', async (length) => {
    const text = 'f'.repeat(length);
    const prompts: string[] = [];
    const by: ReviewFunction<never, never> = ({ attempt }) => (attempt === 0 ? retry(text) : untyped(reject(text)));
    const { records, result } = await noted(by, { maxRevisionChars: 200_000 }, ({ prompt }: { prompt: string }) =>
      prompts.push(prompt),
    );
    const [sentBack, rejected] = eventsOf(records, 'review.decided').map(({ verdict }) => verdict);
    const kept = elided(text, most);
    expect(sentBack).toEqual({ type: 'retry', feedback: kept });
    expect(rejected).toEqual({ type: 'reject', reason: kept });
    expect(kept.length).toBeLessThanOrEqual(most);
    expect(kept === text).toBe(length <= most);
    expect(prompts[1]).toContain(kept);
    expect(result.status).toBe('rejected');
  });

  it.each<readonly [string, ReviewFunction<never, never>]>([
    ['an object', () => retry('x'.repeat(HUGE), { requiredChange: 'y'.repeat(HUGE) })],
    ['an object that rejects', () => reject('x'.repeat(HUGE))],
    ['a text', () => `RETRY: ${'x'.repeat(HUGE)}`],
    ['a text without a verdict', () => 'x'.repeat(HUGE)],
    ['a text of dashes and blanks', () => '- '.repeat(HUGE / 2)],
    ['the name of a phase', () => untyped(retryPredecessor('x'.repeat(HUGE), 'y'))],
    ['a key', () => untyped({ type: 'retry', feedback: '', ['k'.repeat(HUGE)]: 1 })],
    ['a type', () => untyped({ type: 'k'.repeat(HUGE) })],
    [
      'issues',
      () =>
        requestChanges(
          Array.from({ length: 100 }, (_, at) => ({
            id: `${at}`.padEnd(HUGE / 100, 'i'),
            severity: 'high' as const,
            description: 'd'.repeat(HUGE / 100),
            evidence: 'e'.repeat(HUGE / 100),
            affectedPhase: 'a'.repeat(HUGE / 100),
            affectedTask: 'a'.repeat(HUGE / 100),
          })),
        ),
    ],
  ])('of 20 MB as %s make a store of a bounded size', async (what, by) => {
    const { result, records } = await noted(by);
    expect(result.status).not.toBe('completed');
    // Measured sizes: at most 0.74 MB, and 9.7 MB for 100 issues, which three attempts receive.
    expect(sizeOf(records)).toBeLessThan(what === 'issues' ? 12_000_000 : 1_000_000);
  });

  it('that are cut stay different if they name different issues', async () => {
    const id = 'i'.repeat(TEXT_LIMITS.name);
    const issues = ['', '1', '2'].map((end) => ({ id: id + end, severity: 'low' as const, description: 'd' }));
    const { records } = await noted(() => requestChanges(issues));
    const [decided] = eventsOf(records, 'review.decided');
    const ids = decided?.verdict.type === 'retry' ? (decided.verdict.issues ?? []).map((one) => one.id ?? '') : [];
    expect(ids[0]).toBe(id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((one) => one.length <= TEXT_LIMITS.name)).toBe(true);
  });
});

describe('a decision in text', () => {
  const most = TEXT_LIMITS.verdictText;

  it.each([most - 1, most])('of %i characters is parsed', async (length) => {
    const { result } = await noted(() => 'REJECT: no'.padEnd(length, '.'));
    expect(result.status).toBe('rejected');
  });

  it.each(['APPROVE\n', 'REJECT: no'])('of one more is asked for again, for any beginning: %j', async (begin) => {
    let asked = 0;
    const { result, records } = await noted(() => {
      asked += 1;
      return begin.padEnd(most + 1, '.');
    });
    expect(asked).toBe(4);
    expect(result).toMatchObject({ status: 'failed', phases: { note: { error: { code: 'REVIEW_UNAVAILABLE' } } } });
    expect(eventsOf(records, 'review.decided')[0]?.verdict).toMatchObject({
      type: 'unavailable',
      error: {
        code: 'TEXT_TOO_LONG',
        message: expect.stringContaining(
          'Cannot read the answer of reviewer "review" of phase "note" as it has 1000001 characters, more than 1000000',
        ) as string,
      },
    });
  });

  it('is not cut at the limit of feedback before it is parsed', async () => {
    const by: ReviewFunction<never, never> = ({ attempt }) =>
      attempt === 0 ? `${'thought '.repeat(10_000)}\nRETRY: cite two sources` : 'APPROVE';
    const { result, records } = await noted(by);
    expect(result.status).toBe('completed');
    expect(eventsOf(records, 'review.decided')[0]?.verdict).toEqual({ type: 'retry', feedback: 'cite two sources' });
  });
});

describe('the answer of a check', () => {
  it.each([-1, 0, 1])('is recorded up to the limit, with %i characters more', async (more) => {
    const details = 'd'.repeat(TEXT_LIMITS.checkDetails + more);
    const requiredChange = 'c'.repeat(TEXT_LIMITS.requiredChange + more);
    const checks = [{ name: 'c', run: () => ({ passed: false, requiredChange, details }) }];
    const { records } = await noted(undefined, { checks });
    const [decided] = eventsOf(records, 'review.decided');
    expect(decided?.verdict).toMatchObject({
      feedback: `Check "c" failed: ${elided(details, TEXT_LIMITS.checkDetails)}`,
      requiredChange: elided(requiredChange, TEXT_LIMITS.requiredChange),
    });
  });

  it.each([
    ['a text', 'x'.repeat(HUGE)],
    ['names of failures', { passed: false, failures: ['x'.repeat(HUGE)] }],
  ])('of 20 MB as %s makes a store of a bounded size', async (_, answer) => {
    const { records } = await noted(undefined, { checks: [{ name: 'c', run: () => answer }] });
    expect(sizeOf(records)).toBeLessThan(500_000);
  });
});

describe('texts of a task', () => {
  it('in needsRework() are cut to the limit of feedback', async () => {
    const plan = phase('plan', { tasks: [task('t', { run: () => 'a plan' })] });
    const build = phase('build', {
      after: [plan],
      tasks: [
        task('t', {
          run: () => {
            throw needsRework('plan', 'w'.repeat(HUGE));
          },
        }),
      ],
      review: () => approve(),
    });
    const store = memoryStore();
    await startRun(definePipeline({ name: 'p', phases: [plan, build] }), { store, runId: 'run' }).result;
    const records = await readRun(store, 'run');
    expect(eventsOf(records, 'phase.rewinding')[0]?.correction.feedback.length).toBeLessThanOrEqual(
      TEXT_LIMITS.feedback,
    );
    expect(sizeOf(records)).toBeLessThan(3_000_000);
  });

  it('as progress, and as a warning, are recorded up to the limit', async () => {
    const { records } = await noted(undefined, {}, ({ report }: { report: (told: object) => void }) => {
      for (const more of [-1, 0, 1]) {
        const text = 'p'.repeat(TEXT_LIMITS.report + more);
        report({ progress: text });
        report({ warning: { code: 'W', message: text } });
      }
      return 'a note';
    });
    const lengths = [-1, 0, 1].map((more) => elided('p'.repeat(TEXT_LIMITS.report + more), TEXT_LIMITS.report).length);
    expect(Math.max(...lengths)).toBe(TEXT_LIMITS.report);
    expect(eventsOf(records, 'task.reported').map(({ progress }) => String(progress).length)).toEqual(lengths);
    expect(eventsOf(records, 'phase.warned').map(({ message }) => message.length)).toEqual(lengths);
  });
});

describe('the reason of a cancellation', () => {
  it('is recorded up to the limit of feedback', async () => {
    const run = startRun(
      definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => new Promise(() => {}) })] })] }),
    );
    run.cancel('c'.repeat(HUGE));
    const { reason } = await run.result;
    expect(reason?.length).toBeLessThanOrEqual(TEXT_LIMITS.feedback);
    expect(reason).toContain('characters left out');
  });
});

describe('the answer of a person', () => {
  const most = TEXT_LIMITS.personText;

  async function asked(): Promise<Run> {
    const gate = { by: () => escalate('Look.') };
    const note = phase('note', { tasks: [task('t', { run: () => 'a note' })], review: gate });
    const sum = phase('sum', { tasks: [task('t', { run: human({ question: 'How much?' }) })] });
    const run = startRun(definePipeline({ name: 'p', phases: [note, sum] }), { attended: true });
    await idle();
    return run;
  }

  it.each([most - 1, most])('is accepted with %i characters of feedback', async (length) => {
    const run = await asked();
    await run.decide('note', reject('r'.repeat(length)));
    expect(run.snapshot().phases['note']?.status).toBe('rejected');
    run.cancel();
  });

  it.each([
    ['an object', (text: string) => reject(text)],
    ['a text', (text: string) => `RETRY: ${text}`],
    ['an issue', (text: string) => requestChanges([{ severity: 'low', description: text }])],
  ])('is refused with more as %s, and the item stays open', async (_, make) => {
    const run = await asked();
    await expect(run.decide('note', make('r'.repeat(most + 1)))).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      message: expect.stringMatching(
        /as a text of it has 500\d\d characters, and at most 50000 are allowed/u,
      ) as string,
    });
    expect(run.inbox().map(({ about }) => about)).toContain('note');
    run.cancel();
  });

  it('is refused if a value, or a reason to skip, exceeds the limit', async () => {
    const run = await asked();
    const [note, sum] = ['note', 'sum'].map((name) => run.inbox().find(({ about }) => about === name)?.id ?? '');
    const value = 'v'.repeat(TEXT_LIMITS.personValue - 1);
    await expect(run.answer(sum ?? '', { type: 'value', value })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      message: expect.stringContaining(
        'as it has 10000001 characters of JSON, and at most 10000000 are allowed',
      ) as string,
    });
    await expect(run.answer(note ?? '', { type: 'skip', reason: 'r'.repeat(most + 1) })).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
    });
    await run.answer(sum ?? '', { type: 'value', value: value.slice(1) });
    await idle();
    expect(run.snapshot().phases['sum']?.status).toBe('approved');
    run.cancel();
  });
});

describe('a pipeline in YAML', () => {
  const source = 'name: p\nphases:\n  - name: a\n    tasks:\n      - name: t\n        command: ["true"]\n';

  it.each([-1, 0])('is accepted with the limit and %i characters', (more) => {
    const text = `${source}# `.padEnd(TEXT_LIMITS.yaml + more, 'c');
    expect(pipelineOf(text, 'p.yaml', tmpdir()).name).toBe('p');
  });

  it('is refused with one more', () => {
    const text = `${source}# `.padEnd(TEXT_LIMITS.yaml + 1, 'c');
    expect(() => pipelineOf(text, 'p.yaml', tmpdir())).toThrow(
      'Cannot load "p.yaml" as it has 1000001 characters, and 1000000 characters are the most',
    );
  });
});

describe('a file of a pipeline in YAML', () => {
  async function fileOf(make: (path: string) => Promise<void>): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'phasegate-yaml-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'p.yaml');
    await make(path);
    return path;
  }

  it('that is too large is refused by its size, unread', async () => {
    const path = await fileOf(async (at) => {
      await writeFile(at, 'name: p\n');
      // The file is sparse: it takes no space on disk, and has more bytes than Node reads at once.
      await truncate(at, 5_000_000_000);
    });
    await expect(loadYaml('p.yaml', path)).rejects.toMatchObject({
      code: 'TEXT_TOO_LONG',
      message: expect.stringContaining(
        'Cannot load "p.yaml" as it has 5000000000 bytes, and 1000000 characters are the most',
      ) as string,
    });
  });

  it('with the maximum number of characters is read, whatever its number of bytes', async () => {
    const source = 'name: p\nphases:\n  - name: a\n    tasks:\n      - name: t\n        command: ["true"]\n# ';
    const path = await fileOf((at) => writeFile(at, source.padEnd(TEXT_LIMITS.yaml, '語')));
    expect((await loadYaml('p.yaml', path)).pipeline.name).toBe('p');
  });
});

describe('records of an earlier build', () => {
  it('with longer feedback stay readable, and their run continues with all of it', async () => {
    const told: string[] = [];
    const definition = () =>
      definePipeline({
        name: 'p',
        phases: [
          phase('note', {
            tasks: [
              task('write', {
                run: ({ attempt, revision }) => {
                  if (attempt === 0) return 'a note';
                  told.push(revision?.feedback ?? '');
                  first.suspend();
                  return 'another note';
                },
              }),
            ],
            review: ({ attempt }) => (attempt === 0 ? retry('LONG') : approve()),
          }),
        ],
      });
    const store = memoryStore();
    const first = startRun(definition(), { store, runId: 'run' });
    await first.result.catch(() => undefined);
    await idle();
    const long = 'L'.repeat(300_000);
    const kept = JSON.parse(
      JSON.stringify(await readRun(store, 'run')).replaceAll('"LONG"', `"${long}"`),
    ) as RunRecord[];
    const older = memoryStore();
    await keep(older, kept);
    const run = await resumeRun(older, 'run', definition());
    expect((await run.result).status).toBe('completed');
    expect(told).toEqual(['LONG', long]);
  });
});

describe('parseDecision()', () => {
  it('itself cuts nothing, as its callers bound its input', () => {
    const feedback = 'f'.repeat(200_000);
    expect(parseDecision(`RETRY: ${feedback}`)).toEqual({ type: 'retry', feedback });
  });
});
