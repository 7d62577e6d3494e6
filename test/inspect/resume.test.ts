import {
  approve,
  definePipeline,
  escalate,
  phase,
  resumeRun,
  retry,
  retryRun,
  retryPredecessor,
  startRun,
  task,
  type Pipeline,
  type Run,
  memoryStore,
} from 'phasegate';
import type { RunRecord } from 'phasegate/records';
import { describe, expect, it } from 'vitest';

/** Events after which a run is left, and their occurrence. */
const PLACES: readonly (readonly [event: string, times: number])[] = [
  ['task.started', 1],
  ['review.started', 1],
  ['phase.retrying', 1],
  ['phase.started', 3],
  ['phase.rewinding', 1],
  ['phase.approved', 2],
  ['phase.escalated', 1],
];

describe('resumeRun() of an inspected run', () => {
  it.each(PLACES)('resumes after %s (occurrence %i) as without an inspector', async (type, times) => {
    const [plain, inspected] = [await resumedRun(type, times, false), await resumedRun(type, times, true)];
    expect(inspected.status).toBe('completed');
    expect(inspected.story).toEqual(plain.story);
    expect(inspected.seen.size).toBeGreaterThan(0);
  });
});

describe('retryRun() of an inspected run', () => {
  it('runs, and shows the phases that run again', async () => {
    const store = memoryStore();
    let tries = 0;
    const work = task('work', {
      run: () => {
        tries += 1;
        if (tries === 1) throw new Error('no');
        return 'done';
      },
    });
    const pipeline = definePipeline({ name: 'p', phases: [phase('one', { tasks: [work] })] });
    await startRun(pipeline, { runId: 'failed', store }).result;
    const seen = new Set<string>();
    const run = await retryRun(store, 'failed', pipeline, {
      inspect: ({ actorRef }) => void seen.add(idOf(actorRef)),
    });
    expect((await run.result).status).toBe('completed');
    expect(seen).toContain('one');
  });
});

// --- internal ---

/** Leaves a run at an event, and resumes it. */
async function resumedRun(type: string, times: number, isInspected: boolean) {
  const store = memoryStore();
  const pipeline = workflow();
  const first = startRun(pipeline, { runId: 'left', store, attended: true });
  let left = times;
  first.events$.subscribe(({ event }) => {
    if (event.type === type) left -= 1;
    if (left === 0) first.suspend();
  });
  expect((await first.result).status).toBe('suspended');

  const seen = new Set<string>();
  const inspect = ({ actorRef }: { readonly actorRef: object }) => void seen.add(idOf(actorRef));
  const run = await resumeRun(store, 'left', pipeline, isInspected ? { inspect } : {});
  decideOn(run);
  const records: RunRecord[] = [];
  run.events$.subscribe((record) => records.push(record));
  const { status } = await run.result;
  return {
    status,
    seen,
    story: records.map(({ event }) => ('phase' in event ? `${event.phase} ${event.type}` : event.type)),
  };
}

function decideOn(run: Run<unknown>): void {
  run.events$.subscribe(({ event }) => {
    if (event.type === 'phase.escalated') void run.decide('ship', retry('Once more.'));
  });
}

/**
 * A pipeline whose plan is retried, whose build sends it back, and whose end asks a person. Repeated questions get
 * the same answer.
 */
function workflow(): Pipeline {
  const work = task('work', { run: () => 'done' });
  const plan = phase('plan', {
    tasks: [work],
    review: ({ attempt }) => (attempt === 0 ? retry('More.') : approve()),
  });
  const build = phase('build', {
    after: [plan],
    tasks: [work],
    review: ({ rewindsLeft }) => (rewindsLeft['plan'] === 2 ? retryPredecessor('plan', 'It does not fit.') : approve()),
  });
  const ship = phase('ship', {
    after: [build],
    tasks: [work],
    review: ({ attempt }) => (attempt === 0 ? escalate('Who decides?') : approve()),
  });
  return definePipeline({ name: 'workflow', phases: [plan, build, ship] });
}

function idOf(actor: object): string {
  return String(Reflect.get(actor, 'id'));
}
