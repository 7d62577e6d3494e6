/**
 * Journals told again: `replay` and `revive` on what random runs have said.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { replay } from '../src/machines/replay.ts';
import { isSameEvent } from '../src/machines/same.ts';
import { drive } from './property/drive.ts';
import { build } from './property/build.ts';
import { prove } from './property/prove.ts';
import { scenarios, type Scope } from './property/scenarios.ts';
import { SteppedClock } from './property/stepped-clock.ts';

const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, limits: false }, 150],
  ['few phases under limits', { maxPhases: 4 }, 150],
  ['many phases', {}, 100],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('replay()', () => {
  it.each(SCOPES)(
    'comes to the same events from every journal, and from every beginning of it: %s',
    async (_, scope, runs) => {
      await prove(scenarios(scope), { seed: 3, runs }, async (scenario) => {
        const { records } = await drive(scenario);
        const journal = JSON.parse(JSON.stringify(records)) as typeof records;
        const { plan } = build(scenario, { clock: new SteppedClock(), saw: () => undefined });
        const input = { run: 'run', plan, attended: scenario.attended };
        const whole = replay(input, journal);
        expect(whole.surplus).toEqual([]);
        for (const length of journal.keys()) {
          if (endsMidway(journal, length)) continue;
          const { surplus } = replay(input, journal.slice(0, length));
          // What follows by itself is what followed.
          const strange = surplus.findIndex((event, at) => {
            const followed = journal[length + at]?.event;
            return !followed || !isSameEvent(event, followed);
          });
          if (strange !== -1) return `after ${length} records: ${JSON.stringify(surplus[strange])}`;
        }
        return null;
      });
    },
    600_000,
  );
});

// --- internal ---

const ENDINGS = new Set(['phase.cancelled', 'phase.skipped', 'phase.stale']);

/** Whether a beginning is cut within the end of the run, which is said at once. */
function endsMidway(journal: Awaited<ReturnType<typeof drive>>['records'], length: number): boolean {
  return ENDINGS.has(journal[length - 1]?.event.type ?? '') && journal.at(-1)?.event.type === 'run.ended';
}
