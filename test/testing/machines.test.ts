/** The machines of phases and pipelines with stubs for their work, as docs/testing.md has them. */
import { describe, expect, it } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import {
  approve,
  definePipeline,
  phase,
  reject,
  retry,
  retryPredecessor,
  task,
  type Decision,
} from '../../src/index.ts';
import {
  fromAsync,
  phaseLogic,
  phaseMachine,
  pipelineMachine,
  type PhaseCommand,
  type WorkEvent,
} from '../../src/machines.ts';

const tasks = [task('work', { run: () => 'not called' })];
const { plan } = definePipeline({
  name: 'chain',
  policy: { maxRetries: 1, maxPredecessorRetries: 1 },
  phases: [phase('plan', { tasks }), phase('code', { after: ['plan'], tasks, review: () => 'APPROVE' })],
});
const code = plan.phases[1];
if (!code) throw new Error('the pipeline has two phases');

const done = { type: 'done', outputs: { work: 'a text' } } as const;
const decisions = [approve(), retry('More.'), retryPredecessor('plan', 'Think again.'), reject('No.')];
const decided = (verdict: Decision): WorkEvent => ({ type: 'review.done', output: { verdict, verdicts: {} } });

const paths = getShortestPaths(phaseMachine, {
  input: { run: 'r', phase: code, attempt: 0, inputs: {} },
  events({ value, context: { attempt } }): readonly (PhaseCommand | WorkEvent)[] {
    if (value === 'running') return [{ type: 'attempt.done', output: done }];
    if (value === 'reviewing') return decisions.map(decided);
    if (value === 'retrying') return [{ type: 'restart' }];
    return value === 'rewinding' ? [{ type: 'restart', start: { attempt: attempt + 1, inputs: {} } }] : [];
  },
  stopWhen: ({ status }) => status !== 'active',
}).filter(({ state }) => state.status !== 'active');

describe('the shortest paths of a phase to its ends', () => {
  it('are all there: each order of a retry and a rewind, and each end', () => {
    const stories = new Set(paths.map(({ steps, state }) => `${verdictsOf(steps).join(' ')} → ${String(state.value)}`));
    expect(stories.size).toBe(paths.length);
    for (const story of ['approve → approved', 'retry retry → rejected', 'retry retryPredecessor approve → approved'])
      expect([...stories]).toContain(story);
  });

  it.each(paths.map((path) => ({ path, name: verdictsOf(path.steps).join(' ') })))(
    'lead a pipeline with stubs for its work to the same end: $name',
    async ({ path }) => {
      const verdicts = verdictsOf(path.steps).map((type) => decisions.find((one) => one.type === type) ?? approve());
      const stubs = phaseLogic({
        attempt: fromAsync(() => done),
        review: fromAsync(() => ({ verdict: verdicts.shift() ?? approve(), verdicts: {} })),
      });
      const actor = createActor(pipelineMachine.provide({ actors: { phase: stubs } }), { input: { run: 'r', plan } });
      const ends: string[] = [];
      actor.on('phase.approved', ({ phase: of }) => ends.push(`${of} approved`));
      actor.on('phase.rejected', ({ phase: of }) => ends.push(`${of} rejected`));
      const { status } = await toPromise(actor.start());
      expect(ends.at(-1)).toBe(`code ${String(path.state.value)}`);
      expect(status).toBe(path.state.value === 'approved' ? 'completed' : 'rejected');
      expect(verdicts).toEqual([]);
    },
  );
});

// --- internal ---

/** The decisions on a path. */
function verdictsOf(steps: (typeof paths)[number]['steps']): readonly string[] {
  return steps.flatMap(({ event }) => (event.type === 'review.done' ? event.output.verdict.type : []));
}
