/**
 * Usage of runs under limits, if the estimate of every try is its true maximum.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/budget.test.ts` tries 5000 other
 * scenarios.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  definePipeline,
  phase,
  startRun,
  task,
  type Inputs,
  type Limits,
  type Pipeline,
  type Run,
  type TaskContext,
} from '../../src/index.ts';
import type { RunRecord } from '../../src/records.ts';
import { drive, simulatedTime, type SimulatedTime } from '../rig.ts';
import { replayDifference } from '../replay-difference.ts';
import { numberOfRuns } from './number-of-runs.ts';

const options = numberOfRuns({ runs: 150, seed: 5 });

/** One try: its usage in eighths of the estimate, the number of reports, its duration, and its failure. */
interface Try {
  readonly uses: number;
  readonly reports: number;
  readonly ms: number;
  readonly fails: boolean;
}

interface Worker {
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  readonly tries: readonly Try[];
}

interface Spending {
  readonly phases: readonly {
    readonly workers: readonly Worker[];
    readonly judge: Worker;
    readonly retries: number;
    readonly isChained: boolean;
  }[];
  readonly concurrency: number;
  readonly onLimit: 'stop' | 'escalate';
  readonly lifts: boolean;
  readonly costUsd: number;
  readonly tokens: number;
}

const oneTry: fc.Arbitrary<Try> = fc.record({
  uses: fc.nat(8),
  reports: fc.integer({ min: 1, max: 3 }),
  ms: fc.nat(40),
  fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});

const worker: fc.Arbitrary<Worker> = fc.record({
  costUsd: fc.option(fc.nat(12), { nil: undefined, freq: 8 }),
  tokens: fc.option(fc.nat(12), { nil: undefined, freq: 3 }),
  tries: fc.array(oneTry, { minLength: 1, maxLength: 3 }),
});

const spending: fc.Arbitrary<Spending> = fc.record({
  phases: fc.array(
    fc.record({
      workers: fc.array(worker, { minLength: 1, maxLength: 3 }),
      judge: worker,
      retries: fc.nat(2),
      isChained: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  concurrency: fc.integer({ min: 1, max: 5 }),
  onLimit: fc.constantFrom('stop', 'escalate'),
  lifts: fc.boolean(),
  costUsd: fc.nat(60),
  tokens: fc.nat(60),
});

describe('a run with true estimates', () => {
  it('never reports more than its limits, whatever runs at the same time, and ends', async () => {
    const ends = new Set<string>();
    let waited = 0;
    await fc.assert(
      fc.asyncProperty(spending, async (scenario) => {
        const time = simulatedTime();
        const pipeline = build(scenario, time);
        const run = startRun(pipeline, { clock: time.clock });
        const records: RunRecord[] = [];
        const due: (() => unknown)[] = [];
        run.events$.subscribe((record) => {
          records.push(record);
          if (record.event.type === 'limit.reached') due.push(() => decide(run, scenario));
        });
        const result = await drive(run, time, due);
        ends.add(result.status);
        const { costUsd: max, tokens } = pipeline.plan.limits;
        const isLifted = scenario.onLimit === 'escalate' && scenario.lifts;
        if (!isLifted) {
          expect(result.metrics.costUsd).toBeLessThanOrEqual(max ?? 0);
          expect(result.metrics.tokens).toBeLessThanOrEqual(tokens ?? 0);
        }
        for (const { event } of records) {
          // Reported usage never exceeds a limit. Only an estimate would.
          if (event.type !== 'limit.reached') continue;
          expect(event.refused).toBeDefined();
          const most = event.refused?.estimate;
          if (most === undefined) expect(event.used).toBeGreaterThanOrEqual(event.max * (1 - 1e-9));
          else expect(event.used + most).toBeGreaterThanOrEqual(event.max);
        }
        waited += waits(records);
        expect(replayDifference(pipeline, records, result)).toBeNull();
      }),
      options,
    );
    // Each end must occur, or the property would be trivially true. A gate whose retries are spent rejects.
    expect([...ends].toSorted()).toEqual(['completed', 'exhausted', 'failed', 'rejected']);
    expect(waited).toBeGreaterThan(50);
  }, 600_000);
});

// --- internal ---

function decide(run: Pick<Run<unknown>, 'snapshot' | 'decide'>, { onLimit, lifts }: Spending): unknown {
  const [limit] = run.snapshot().waiting;
  if (onLimit === 'stop' || limit === undefined) return undefined;
  return run.decide(limit, lifts ? 'APPROVE' : 'REJECT: enough');
}

function build({ phases, concurrency, onLimit, costUsd, tokens }: Spending, time: SimulatedTime): Pipeline<Inputs> {
  const limits: Limits = { costUsd: costUsd / 8, tokens };
  return definePipeline({
    name: 'spending',
    concurrency,
    limits,
    policy: { onLimit },
    phases: phases.map(({ workers, judge, retries, isChained }, index) => {
      let reviews = 0;
      return phase(`p${index}`, {
        after: isChained && index > 0 ? [`p${index - 1}`] : [],
        mode: 'parallel',
        tasks: workers.map((one, at) => work(`t${at}`, one, time, () => at)),
        review: {
          maxRetries: retries,
          maxReviewErrors: 1,
          by: work('judge', judge, time, () => {
            reviews += 1;
            return reviews > 2 ? 'APPROVE' : 'RETRY: more';
          }),
        },
      });
    }),
  });
}

/** A task that never uses more than its estimate. */
function work(name: string, { costUsd, tokens, tries }: Worker, time: SimulatedTime, answer: () => unknown) {
  let calls = 0;
  return task(name, {
    estimate: { costUsd: (costUsd ?? 0) / 8, tokens: tokens ?? 0 },
    retry: { attempts: 2, backoff: { first: 7 } },
    run: async (context: TaskContext) => {
      const one = tries[calls % tries.length];
      calls += 1;
      if (!one) return answer();
      for (let report = 0; report < one.reports; report += 1) {
        await pass(time, context, one.ms);
        const share = one.uses / 8 / one.reports;
        context.report({ costUsd: ((costUsd ?? 0) / 8) * share, tokens: (tokens ?? 0) * share });
      }
      if (one.fails) throw new Error('broken');
      return answer();
    },
  });
}

function pass({ clock }: SimulatedTime, { signal }: TaskContext, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clock.clearTimeout(timer);
      reject(new Error('stopped'));
    });
  });
}

/** Counts the tasks of a phase that began later than the phase itself, and not as a retry. */
function waits(records: readonly RunRecord[]): number {
  const started = new Map<string, number>();
  return records.filter(({ event, time }) => {
    if (event.type === 'phase.started') started.set(event.phase, time);
    return event.type === 'task.started' && event.try === 1 && time > (started.get(event.phase) ?? time);
  }).length;
}
