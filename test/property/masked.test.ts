/**
 * Journals of random runs whose texts are all masked alike: they can be replayed, and every phase makes its records.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property/masked.test.ts` tries 5000 other scenarios.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../src/records.ts';
import { journalProblem } from '../../src/runtime/records/verify.ts';
import { MASK } from '../../src/model/values/known-secrets.ts';
import { drive } from './drive.ts';
import { prove } from './prove.ts';
import { scenarios, type Scope } from './scenarios.ts';

const SCOPES: readonly (readonly [string, Scope])[] = [
  ['no people', { maxPhases: 4 }],
  ['people', { maxPhases: 4, people: true }],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

/** The masks of phasegate, and marks of a caller: the mark of a demand, and if the caller has made it. */
const MARKS: readonly (readonly [string, (demand: string) => string, boolean])[] = [
  ['by the mask', () => MASK, false],
  ['by one mark of the caller', () => '###', true],
  ['by a mark of the caller for each demand', (demand) => `#${demand.replace(' ', '')}`, true],
];

describe('a masked journal', () => {
  it.each(SCOPES.flatMap(([name, scope]) => MARKS.map((marks) => [name, marks[0], scope, marks] as const)))(
    'is one that a run could have written, cut off after any decision: %s, masked %s',
    async (_, __, scope, [, markOf, isOwn]) => {
      const mask = masking(markOf);
      const redact = isOwn ? mask : undefined;
      let masked = 0;
      await prove(scenarios(scope), { seed: 3, runs: 30 }, async (scenario) => {
        const { records } = await drive(scenario, undefined, undefined, mask);
        masked += records.filter(({ event }) => /#|\[redacted\]/u.test(JSON.stringify(event))).length;
        const lengths = records.flatMap(({ event, seq }) => (CUTS.has(event.type) ? [seq] : [])).concat(records.length);
        const length = lengths.find((one) => journalProblem(records.slice(0, one), redact) !== undefined);
        return length === undefined ? null : `${length} records: ${journalProblem(records.slice(0, length), redact)}`;
      });
      expect(masked).toBeGreaterThan(30);
    },
    600_000,
  );
});

// --- internal ---

/** Records after which a journal may end: the next one follows from work, or from them. */
const CUTS: ReadonlySet<string> = new Set([
  'review.started',
  'review.decided',
  'phase.retrying',
  'phase.rewinding',
  'phase.started',
]);

/** Masks every demand of a scenario, by marks that may make different demands the same. */
function masking(markOf: (demand: string) => string) {
  return (event: RunEvent): RunEvent => JSON.parse(JSON.stringify(event).replaceAll(DEMANDS, markOf)) as RunEvent;
}

const DEMANDS = /(?:again|change|person|fix|rework) \d+/gu;
