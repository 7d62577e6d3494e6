/** Rehearsals whose process dies, and traces that replay. */
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  human,
  needsRework,
  phase,
  retry,
  retryPredecessor,
  task,
  type ReviewContext,
} from '../../src/index.ts';
import {
  answers,
  crashAfter,
  crashBefore,
  fails,
  rehearse,
  repeats,
  reports,
  silent,
  takes,
  type RehearsedRun,
  type Script,
} from '../../src/testing.ts';
import { lineOf } from '../line.ts';

const never = (): never => {
  throw new Error('the work of the pipeline itself was called');
};

const launch = definePipeline({
  name: 'launch',
  limits: { costUsd: 10 },
  phases: [
    phase('plan', {
      tasks: [task('outline', { run: never })],
      review: { by: never, checks: [{ name: 'lint', run: never }] },
    }),
    phase('code', {
      after: ['plan'],
      tasks: [task('api', { run: never, retry: { attempts: 3 }, timeout: 5000 }), task('page', { run: never })],
      review: {
        by: [task('style', { run: never }), task('facts', { run: never })],
        strategy: 'reflexion',
        reflect: never,
      },
    }),
    phase('release', {
      after: ['code'],
      tasks: [task('ship', { run: never })],
      review: human({ question: 'May it go out?' }),
    }),
  ],
});

const story: Script = {
  tasks: {
    outline: ['thin', repeats('thick')],
    api: [
      fails('no connection'),
      silent(),
      takes(1000, reports({ costUsd: 1 }, 'api 1')),
      repeats(takes(500, 'api 2')),
    ],
    page: [takes(700, 'page 1'), fails(needsRework('plan', 'It is thin.')), repeats(takes(900, 'page 2'))],
    ship: repeats('shipped'),
  },
  checks: { lint: [false, repeats(true)] },
  reviews: {
    plan: approve(),
    style: [retry('Use short words.'), repeats(approve())],
    facts: [
      approve(),
      escalate('I am not sure.'),
      repeats(({ attempt }: ReviewContext) => (attempt < 9 ? approve() : retry(''))),
    ],
  },
  reflections: { '*': 'I should have read it again.' },
  people: {
    code: answers(retryPredecessor('plan', 'Think again.'), { by: 'ann' }),
    release: [takes(3_600_000, retry('Add a note.')), answers('APPROVE', { by: 'bob' })],
  },
};

describe('crashes of a rehearsal', () => {
  it('lead to the same end as without, wherever the process dies', async () => {
    const whole = await rehearse(launch, story);
    expect(whole.result.status).toBe('completed');
    const types = new Set(whole.records.map(({ event }) => event.type));
    const after = whole.records.slice(1).map((_, index) => crashAfter(index + 1));
    for (const crash of [...after, ...[...types].map((type) => crashBefore(type))]) {
      const run = await rehearse(launch, { ...story, crashes: [crash] });
      const place = `crash ${crash.isBefore ? 'before' : 'after'} ${crash.type ?? 'record'} ${crash.nth}`;
      expect(decisionsOf(run), place).toEqual(decisionsOf(whole));
      expect(run.result).toMatchObject({ status: 'completed', outputs: outputsOf(whole) });
      expect(run.records.map(({ seq }) => seq)).toEqual(run.records.map((_, index) => index + 1));
      const again = await rehearse(launch, run.trace);
      expect(linesOf(again), `replay of a ${place}`).toEqual(linesOf(run));
    }
  });

  it('may happen again and again, also after records of a type', async () => {
    const crashes = [
      crashAfter('task.started'),
      crashAfter('review.decided', 2),
      crashAfter('task.asked'),
      crashAfter('run.resumed', 2),
    ];
    const run = await rehearse(launch, { ...story, crashes });
    expect(run.records.filter(({ event }) => event.type === 'run.resumed')).toHaveLength(4);
    expect(run.result.status).toBe('completed');
  });
});

describe('a crash that is not reached', () => {
  it('is an error', async () => {
    const late = rehearse(launch, { ...story, crashes: [crashAfter('review.decided', 99)] });
    await expect(late).rejects.toThrow('Cannot crash after review.decided number 99 as the run has ended (completed)');
  });
});

describe('the trace of a rehearsal', () => {
  it('replays the same records, from JSON', async () => {
    const crashes = [crashAfter('review.decided', 3)];
    for (const script of [story, { ...story, crashes }]) {
      const run = await rehearse(launch, script);
      const again = await rehearse(launch, JSON.parse(JSON.stringify(run.trace)) as typeof run.trace);
      expect(linesOf(again)).toEqual(linesOf(run));
      expect(again.trace).toEqual(run.trace);
    }
  });

  it('is refused if it is of another pipeline, or no trace', async () => {
    const { trace } = await rehearse(launch, story);
    const other = definePipeline({ name: 'other', phases: [phase('a', { tasks: [task('work', { run: never })] })] });
    await expect(rehearse(other, trace)).rejects.toThrow('It is a trace of pipeline "launch", not of "other".');
    await expect(rehearse(launch, { ...trace, tasks: { outline: [{ valu: 1 }] } } as never)).rejects.toMatchObject({
      code: 'SCRIPT_INVALID',
    });
  });
});

function linesOf({ records }: RehearsedRun): readonly (string | undefined)[] {
  return records.map(({ time, event }) => `${time} ${event.type} ${lineOf(event, []) ?? ''}`);
}

/** Decisions without their times: a worker that was interrupted begins again. */
function decisionsOf({ records }: RehearsedRun): readonly unknown[] {
  return records.flatMap(({ event }) =>
    event.type === 'review.decided' ? [[event.phase, event.generation, event.attempt, event.verdict]] : [],
  );
}

function outputsOf({ result }: RehearsedRun): unknown {
  return 'outputs' in result ? result.outputs : undefined;
}
