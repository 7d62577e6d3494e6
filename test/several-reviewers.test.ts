/** Feedback of several reviewers: none of it is lost. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  reject,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Decision,
  type GatePolicy,
  type TaskContext,
  memoryStore,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { crashAfter, fails, rehearse, repeats, type Script, type Step, type StepsByName } from '../src/testing.ts';

/** Possible first answers of a reviewer, with its own text. Every later answer approves. */
const ANSWERS: Readonly<Record<string, (words: string) => Decision | Step>> = {
  approve: () => approve(),
  retry: (words) => retry(words),
  left: (words) => retryPredecessor('left', words),
  right: (words) => retryPredecessor('right', words),
  reject: (words) => reject(words),
  escalate: (words) => escalate(words),
  missing: (words) => fails(words),
};
const KINDS = Object.keys(ANSWERS);
const REVIEWERS = ['ada', 'bob', 'cid'];

const PAIRS = KINDS.flatMap((one) => KINDS.map((other) => [one, other]));
const TRIPLES = PAIRS.flatMap((pair) => KINDS.map((kind) => [...pair, kind]));

/** The order of `left` and `right`: parallel before `last`, or in a chain. */
const SHAPES = { aside: [], row: ['left'] } as const;

const GATES: Readonly<Record<string, GatePolicy>> = {
  'with a budget': { onExhausted: 'reject', maxReviewErrors: 0 },
  'that asks again': { onExhausted: 'reject' },
  'without a budget': { onExhausted: 'escalate', maxRetries: 0, maxPredecessorRetries: 0, maxReviewErrors: 0 },
};

/** Returns the requests of the first review, in the texts of the reviewers. */
function asked(kinds: readonly string[]): readonly string[] {
  return kinds.flatMap((kind, at) => (['retry', 'left', 'right'].includes(kind) ? [wordsOf(at)] : []));
}

function wordsOf(at: number): string {
  return `words of ${REVIEWERS[at]}`;
}

/** Returns all feedback that attempts received. */
function feedbackIn(records: readonly RunRecord[]): string {
  return records
    .flatMap(({ event }) => (event.type === 'phase.started' ? (event.revision?.feedback ?? []) : []))
    .join('\n\n');
}

const tasks = [task('work', { description: 'Work.', run: () => 'work' })];

/** Rehearses two phases, and one whose reviewers may send them back. */
async function rehearsed(
  reviews: StepsByName,
  gate: GatePolicy = {},
  script: Script = {},
  after: readonly string[] = [],
) {
  const by = Object.keys(reviews).map((name) => task(name, { run: () => 'APPROVE' }));
  const review = { ...gate, rewindTo: 'ancestors', by: by as never } as const;
  const phases = [
    phase('left', { tasks }),
    phase('right', { after, tasks }),
    phase('last', { after: ['left', 'right'], tasks, review }),
  ];
  const output = ({ idempotencyKey }: TaskContext) => idempotencyKey;
  return rehearse(definePipeline({ name: 'p', phases }), { tasks: { '*': output }, reviews, ...script });
}

async function told(kinds: readonly string[], after: readonly string[], gate: GatePolicy, person: string) {
  const first = (kind: string, at: number) => ANSWERS[kind]?.(wordsOf(at));
  const reviews = Object.fromEntries(
    kinds.map((kind, at) => [REVIEWERS[at] ?? '', [first(kind, at), repeats('APPROVE')]]),
  );
  const { result, records } = await rehearsed(reviews, gate, { people: { last: [person] } }, after);
  return { status: result.status, records, text: feedbackIn(records) };
}

describe('feedback of a second reviewer', () => {
  it.each(Object.keys(GATES).flatMap((gate) => Object.keys(SHAPES).map((shape) => [gate, shape] as const)))(
    'is not lost for any answers of two or three, with a gate %s, %s',
    async (gate, shape) => {
      const lost: string[] = [];
      for (const kinds of [...PAIRS, ...TRIPLES]) {
        const { status, text } = await told(
          kinds,
          SHAPES[shape as keyof typeof SHAPES],
          GATES[gate] ?? {},
          'RETRY: by a person',
        );
        // A rejection ends the phase, so that no attempt follows.
        if (kinds.includes('reject') && status === 'rejected') continue;
        for (const words of asked(kinds)) if (!text.includes(words)) lost.push(`${kinds.join(', ')}: ${words}`);
      }
      expect(lost).toEqual([]);
    },
    120_000,
  );

  it('arrives once, at its target: the rewind first, the retry with the next start of the phase', async () => {
    const { records } = await told(['left', 'retry'], [], GATES['with a budget'] ?? {}, '');
    const starts = records.flatMap(({ event }) =>
      event.type === 'phase.started' ? [[event.phase, event.attempt, event.revision?.feedback]] : [],
    );
    expect(starts).toEqual([
      ['left', 0, undefined],
      ['right', 0, undefined],
      ['last', 0, undefined],
      ['left', 1, 'words of ada'],
      ['last', 1, 'words of bob'],
    ]);
  });

  it('goes to the phase under review if its target may not be sent back any more', async () => {
    const reviews = {
      ada: [retryPredecessor('right', 'once'), retryPredecessor('left', 'left, too'), 'APPROVE'],
      bob: ['APPROVE', retryPredecessor('right', 'right again'), repeats('APPROVE')],
    };
    const { records } = await rehearsed(reviews, { maxPredecessorRetries: 1 });
    const starts = records.flatMap(({ event }) =>
      event.type === 'phase.started' && event.revision ? [[event.phase, event.revision.feedback]] : [],
    );
    expect(starts).toEqual([
      ['right', 'once'],
      ['left', 'left, too'],
      ['last', 'right again'],
    ]);
  });

  it('is added to the request of a person, unless the person has included it', async () => {
    const gate = GATES['without a budget'] ?? {};
    const own = await told(['escalate', 'retry'], [], gate, 'RETRY: of a person');
    expect(own.text).toBe('of a person\n\nwords of bob');
    const same = await told(['escalate', 'retry'], [], gate, 'RETRY: words of bob');
    expect(same.text).toBe('words of bob');
  });

  it('arrives when a rejected run is retried', async () => {
    const store = memoryStore();
    const prompts: (string | undefined)[] = [];
    const answers = [[reject('no')], [retry('mend it')]];
    const pipeline = definePipeline({
      name: 'p',
      phases: [
        phase('a', {
          tasks: [task('t', { run: ({ revision }: TaskContext) => void prompts.push(revision?.feedback) })],
          review: { by: answers.map((list, at) => task(`r${at}`, { run: () => list.shift() ?? approve() })) },
        }),
      ],
    });
    const first = await startRun(pipeline, { store, runId: 'r' }).result;
    expect(first.status).toBe('rejected');
    const second = await (await retryRun(store, 'r', pipeline)).result;
    expect(second.status).toBe('completed');
    expect(prompts).toEqual([undefined, 'mend it']);
  });

  it('survives the end of the process while the target works', async () => {
    const reviews = {
      ada: [retryPredecessor('left', 'left, please'), 'APPROVE'],
      bob: [retry('and this one'), 'APPROVE'],
    };
    const { result, records, prompts } = await rehearsed(reviews, {}, { crashes: [crashAfter('task.started', 4)] });
    expect(result.status).toBe('completed');
    const kept = records.map(({ event }) => event).filter(({ type }) => /task.started|resumed/u.test(type));
    expect(kept[4]?.type).toBe('run.resumed');
    for (const started of [kept[3], kept[5]]) expect(started).toMatchObject({ phase: 'left', attempt: 1 });
    expect(prompts('last.work')).toEqual(['Work.', expect.stringContaining('and this one')]);
  });
});
