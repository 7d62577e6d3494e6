/** Feedback of several reviewers: none of it is lost. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  phase,
  reject,
  resumeRun,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Decision,
  type GatePolicy,
  type Run,
  type TaskContext,
  memoryStore,
} from '../src/index.ts';
import type { RunRecord } from '../src/records.ts';
import { drive, fake, play, simulatedTime } from './rig.ts';

/** Possible first answers of a reviewer, with its own text. Every later answer approves. */
const ANSWERS: Readonly<Record<string, (words: string) => Decision | Error>> = {
  approve: () => approve(),
  retry: (words) => retry(words),
  left: (words) => retryPredecessor('left', words),
  right: (words) => retryPredecessor('right', words),
  reject: (words) => reject(words),
  escalate: (words) => escalate(words),
  missing: (words) => new Error(words),
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

async function told(kinds: readonly string[], after: readonly string[], gate: GatePolicy, person: string) {
  const reviewers = Object.fromEntries(
    kinds.map((kind, at) => [REVIEWERS[at] ?? '', [ANSWERS[kind]?.(wordsOf(at)) ?? approve()]]),
  );
  const phases = [
    fake('left'),
    fake('right', { after }),
    fake('last', { after: ['left', 'right'], rewindTo: 'ancestors', reviewers, ...gate }),
  ];
  let hasDecided = false;
  const decide = (run: Run) => {
    if (!hasDecided) void run.decide('last', person);
    hasDecided = true;
  };
  const time = simulatedTime();
  const run = startRun(definePipeline({ name: 'rig', phases: phases.map((one) => one.definition) }), {
    attended: true,
    clock: time.clock,
  });
  const records: RunRecord[] = [];
  const due: (() => unknown)[] = [];
  run.events$.subscribe((record) => {
    records.push(record);
    if (record.event.type === 'phase.escalated') due.push(() => decide(run));
  });
  const { status } = await drive(run, time, due);
  return { status, records, text: feedbackIn(records) };
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
    const last = fake('last', {
      after: ['left', 'right'],
      maxPredecessorRetries: 1,
      reviewers: {
        ada: [retryPredecessor('right', 'once'), retryPredecessor('left', 'left, too')],
        bob: ['APPROVE', retryPredecessor('right', 'right again')],
      },
    });
    const { records } = await play([fake('left'), fake('right'), last]);
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
    const store = memoryStore();
    const prompts: (string | undefined)[] = [];
    const answers = [[retryPredecessor('left', 'left, please')], [retry('and this one')]];
    let works: () => void = () => undefined;
    const atWork = new Promise<void>((resolve) => (works = resolve));
    const made = (hangs: boolean) =>
      definePipeline({
        name: 'p',
        phases: [
          phase('left', {
            tasks: [
              task('t', {
                run: ({ attempt }: TaskContext) => {
                  if (!hangs || attempt === 0) return attempt;
                  works();
                  return new Promise<never>(() => undefined);
                },
              }),
            ],
          }),
          phase('last', {
            after: ['left'],
            tasks: [task('t', { run: ({ revision }: TaskContext) => void prompts.push(revision?.feedback) })],
            review: { by: answers.map((list, at) => task(`r${at}`, { run: () => list.shift() ?? approve() })) },
          }),
        ],
      });
    const run = startRun(made(true), { store, runId: 'r' });
    await atWork;
    run.suspend();
    await run.result;
    const { status } = await (await resumeRun(store, 'r', made(false))).result;
    expect(status).toBe('completed');
    expect(prompts).toEqual([undefined, 'and this one']);
  });
});
