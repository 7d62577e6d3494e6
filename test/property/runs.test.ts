/**
 * The runtime compared with the reference, on random scenarios.
 *
 * `PHASEGATE_SEED=random PHASEGATE_SCENARIOS=5000 npx vitest run test/property` tries 5000 other scenarios per
 * property.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { foldRun, runRecordSchema } from '../../src/records.ts';
import { simulate, type Expected } from '../reference/simulate.ts';
import { account } from './account.ts';
import { difference, findingsDifference } from './compare.ts';
import { drive, type Driven } from './drive.ts';
import { brokenInvariants } from './invariants.ts';
import { prove } from './prove.ts';
import { scenarios, type Scope } from './scenarios.ts';
import { selective } from './selective.ts';

/** Small graphs find unusual orders, large ones the interactions of many phases. */
const SCOPES: readonly (readonly [string, Scope, number])[] = [
  ['few phases', { maxPhases: 4, limits: false }, 30],
  ['few phases under limits', { maxPhases: 4 }, 30],
  ['many phases without failures', { limits: false, failures: false }, 25],
  ['many phases', {}, 25],
  ['few phases and people', { maxPhases: 4, limits: false, people: true }, 30],
  ['few phases and people under limits', { maxPhases: 4, people: true }, 30],
  ['many phases and people', { people: true }, 15],
];

// XState's development build warns once per action of every phase: millions of lines here.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));

describe('startRun()', () => {
  it.each(SCOPES)(
    'agrees with docs/semantics.md, keeps its invariants, and can be replayed: %s',
    async (_, scope, runs) => {
      await prove(scenarios(scope), { seed: 1, runs }, async (scenario) => {
        const expected = simulate(scenario);
        fc.pre(!expected.collided);
        const run = await drive(scenario);
        return (
          difference(account(run.records), expected.lines) ??
          findingsDifference(run.shown, expected.shown) ??
          correctionsDifference(run, expected) ??
          listed(brokenInvariants(scenario, run)) ??
          listed([...unfinished(run), ...run.refused]) ??
          snapshotDifference(run)
        );
      });
    },
    600_000,
  );

  it('does not rerun readers of unchanged tasks', async () => {
    await prove(scenarios({ maxPhases: 6, limits: false, failures: false }), { seed: 3, runs: 60 }, async (drawn) => {
      const scenario = selective(drawn);
      const expected = simulate(scenario);
      fc.pre(!expected.collided);
      const run = await drive(scenario);
      return (
        difference(account(run.records), expected.lines) ??
        listed([...brokenInvariants(scenario, run), ...unfinished(run)])
      );
    });
  }, 600_000);

  it('does the same if it is inspected, and so made of actors', async () => {
    await prove(scenarios({}), { seed: 2, runs: 12 }, async (scenario) => {
      const expected = simulate(scenario);
      fc.pre(!expected.collided);
      const run = await drive(scenario, () => undefined);
      return difference(account(run.records), expected.lines) ?? listed(unfinished(run));
    });
  }, 600_000);
});

// --- internal ---

function listed(problems: readonly string[]): string | null {
  return problems.length === 0 ? null : problems.join('\n');
}

function unfinished({ result }: Driven): string[] {
  return result === null ? ['the run did not end'] : [];
}

/** Checks the number of corrections by docs/semantics.md: each phase with a correction counts. */
function correctionsDifference({ snapshot }: Driven, { corrections }: Expected): string | null {
  const counted = snapshot.metrics.corrections;
  return counted === corrections ? null : `${counted} corrections were counted, and ${corrections} made`;
}

/** Checks that the snapshot follows from records that were stored. */
function snapshotDifference({ records, snapshot }: Driven): string | null {
  const stored = JSON.parse(JSON.stringify(records)) as unknown[];
  const view = foldRun();
  for (const record of stored) view.apply(runRecordSchema.parse(record));
  try {
    expect(stored).toEqual(records);
    expect(view.snapshot()).toEqual(snapshot);
    return null;
  } catch (error) {
    return String(error);
  }
}
