/** Random runs in a slow store, compared event for event with the reference. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { approve, definePipeline, phase, resumeRun, startRun, task, memoryStore, readRun } from '../../src/index.ts';
import { account } from '../property/account.ts';
import { difference } from '../property/compare.ts';
import { drive } from '../property/drive.ts';
import { prove } from '../property/prove.ts';
import { scenarios, type Scope } from '../property/scenarios.ts';
import { simulate } from '../reference/simulate.ts';
import { slowStore } from './slow-store.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, limits: false }, 12],
  ['few phases under limits', { maxPhases: 4 }, 12],
  ['many phases', {}, 5],
  ['few phases and people', { maxPhases: 4, people: true }, 12],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('a store with late writes and reordered reads', () => {
  it.each(SCOPES)(
    'does not change a run: %s',
    async (_, scope, runs) => {
      await prove(scenarios(scope), { seed: 13, runs }, async (scenario) => {
        const expected = simulate(scenario, true);
        fc.pre(!expected.collided);
        const good = memoryStore();
        const run = await drive(scenario, undefined, slowStore(good, scenario.seed));
        if (run.result === null) return 'the run did not end';
        expect(await readRun(good, 'run')).toEqual(run.records);
        expect(await good.run('run')).toMatchObject({ status: run.result.status, lease: undefined });
        return (
          run.refused[0] ??
          difference(...both(account(run.records), expected.lines, (line) => !isRead(line))) ??
          difference(...both(account(run.records).toSorted(), expected.lines.toSorted(), isRead))
        );
      });
    },
    600_000,
  );

  it('applies an answer once, even if reads of messages overtake each other', async () => {
    const good = memoryStore();
    const pipeline = definePipeline({
      name: 'asking',
      phases: [phase('draft', { tasks: [task('write', { run: () => 1 })], review: () => 'ESCALATE: look at it' })],
    });
    const first = startRun(pipeline, { store: good, runId: 'r' });
    await new Promise<void>((resolve) =>
      first.events$.subscribe(({ event }) => event.type === 'phase.escalated' && resolve()),
    );
    first.suspend();
    await first.result;
    const [item] = await good.inbox({ open: true });
    const body = { reply: { type: 'decide', decision: approve() }, nonce: item?.nonce };
    await good.post({ runId: 'r', kind: 'answer', item: item?.id, body, by: 'ada', time: Date.now() });

    // The run is checked for damaged messages first. Then the first read ends after the second.
    let looks = 0;
    let second: () => void = () => undefined;
    const overtaken = new Promise<void>((resolve) => (second = resolve));
    const run = await resumeRun(
      {
        ...good,
        async messages(runId, after) {
          looks += 1;
          const found = await good.messages(runId, after);
          if (looks > 2) second();
          else if (looks === 2) await overtaken;
          return found;
        },
      },
      'r',
      pipeline,
    );
    expect((await run.result).status).toBe('completed');
    const decided = (await readRun(good, 'r')).filter(({ event }) => event.type === 'review.decided');
    expect(decided.map(({ event }) => 'by' in event && event.by)).toEqual(['gate', 'person']);
    expect(looks).toBeGreaterThan(2);
  });
});

// --- internal ---

/** True for a read. A handler, which may read outputs at once, is called only after the store has written its cause. */
function isRead(line: string): boolean {
  return line.includes(' phase.read ');
}

function both<T>(one: readonly T[], other: readonly T[], is: (value: T) => boolean): [readonly T[], readonly T[]] {
  return [one.filter(is), other.filter(is)];
}
