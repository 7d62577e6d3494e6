/** The comparison of two runs: what counts as a difference, and what two forks share. */
import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../src/records.ts';
import { forkRun, memoryStore, resumeRun, startRun, type Redact } from '../src/index.ts';
import { compareRuns, type RunComparison } from '../src/projections/compare/compare-runs.ts';
import { foldComparedRun, type ComparedRun } from '../src/projections/compare/compared-run.ts';
import { comparisonSentences, phaseWords } from '../src/projections/compare/comparison-words.ts';
import { readRun } from '../src/store/read-run.ts';
import { fake, play, type Fake } from './rig.ts';
import { pipelineOf } from './browser/runs.ts';

function folded(records: readonly RunRecord[], forkOf?: string): ComparedRun {
  const fold = foldComparedRun(forkOf);
  for (const record of records) fold.apply(record);
  return fold.read();
}

async function compared(first: readonly Fake[], second: readonly Fake[]): Promise<RunComparison> {
  const [a, b] = [await play(first), await play(second)];
  return compareRuns(folded(a.records), folded(b.records));
}

function differing({ phases }: RunComparison): readonly (readonly [string, string])[] {
  return phases.flatMap((one) => (one.differences.length === 0 ? [] : [[one.phase, phaseWords(one)] as const]));
}

const withEvent = (record: RunRecord, event: RunRecord['event']): RunRecord => ({ ...record, event });

const draft = (outputs: readonly unknown[], verdicts: readonly string[]) => fake('draft', { outputs, verdicts });

describe('the comparison of two runs', () => {
  it('finds no difference between two runs that went alike, whatever their times and ids', async () => {
    const phases = () => [draft(['one', 'two'], ['RETRY: more', 'APPROVE']), fake('end', { after: ['draft'] })];
    const same = await compared(phases(), phases());
    expect(differing(same)).toEqual([]);
    expect(same).toMatchObject({ sameDefinition: true, sameInput: true, sharedRecords: 0 });
    expect(comparisonSentences(same)).toEqual([
      'The definition is the same.',
      'The input is the same.',
      'No phase differs.',
    ]);
  });

  it('names each property in which a phase differs, and finds the output of each attempt', async () => {
    const one = await compared(
      [draft(['one', 'two'], ['RETRY: more', 'APPROVE'])],
      [draft(['one', 'two'], ['RETRY: shorter', 'REJECT: no'])],
    );
    expect(differing(one)).toEqual([['draft', 'differs: status, feedback, decisions']]);
    const two = await compared([draft(['one'], ['APPROVE'])], [draft(['one', 'one'], ['RETRY: more', 'APPROVE'])]);
    expect(differing(two)).toEqual([['draft', 'differs: number of attempts, decisions']]);
    expect(two.phases[0]?.attempts.map(({ number, differences }) => [number, differences])).toEqual([
      [1, ['status', 'decisions']],
      [2, ['presence']],
    ]);
    const three = await compared(
      [draft(['one', 'end'], ['RETRY: more', 'APPROVE'])],
      [draft(['two', 'end'], ['RETRY: more', 'APPROVE'])],
    );
    expect(differing(three)).toEqual([['draft', 'differs: outputs']]);
    expect(three.phases[0]?.outputs).toEqual([{ task: 'work', values: ['end', 'end'], same: true }]);
    expect(three.phases[0]?.attempts[0]?.outputs).toEqual([{ task: 'work', values: ['one', 'two'], same: false }]);
  });

  it('lists phases that only one run has, in the order of the first plan', async () => {
    const both = await compared([fake('a'), fake('c')], [fake('b'), fake('a')]);
    expect(both.phases.map((one) => [one.phase, phaseWords(one)])).toEqual([
      ['a', 'same'],
      ['c', 'only in A'],
      ['b', 'only in B'],
    ]);
    expect(both.sameDefinition).toBe(false);
  });

  it('tells which records a fork has from its origin, and from which attempt on it differs', async () => {
    const store = memoryStore();
    const phases = () => [draft(['one', 'two'], ['RETRY: more', 'APPROVE']), fake('end', { after: ['draft'] })];
    await startRun(pipelineOf('book', phases()), { store, runId: 'origin' }).result;
    const origin = await readRun(store, 'origin');
    const at = origin.find(({ event }) => event.type === 'phase.retrying')?.seq ?? 0;
    const [fork, other] = [await forkRun(store, 'origin', { at }), await forkRun(store, 'origin', { at: at - 1 })];
    const rest = pipelineOf('book', [draft(['three'], ['APPROVE']), fake('end', { after: ['draft'] })]);
    await (
      await resumeRun(store, fork, rest, { allowChanged: true })
    ).result;
    const forked = await readRun(store, fork);
    const comparison = compareRuns(folded(origin), folded(forked, 'origin'));
    expect(comparison.sharedRecords).toBe(at);
    expect(comparison.phases[0]?.attempts.map(({ shared, differences }) => [shared, differences])).toEqual([
      [true, []],
      [false, ['outputs']],
    ]);
    expect(comparisonSentences(comparison)[0]).toBe(`B is a fork of A. The first ${at} records are the same.`);
    const turned = compareRuns(folded(forked, 'origin'), folded(origin));
    expect(comparisonSentences(turned)[0]).toBe(`A is a fork of B. The first ${at} records are the same.`);
    const siblings = compareRuns(folded(forked, 'origin'), folded(await readRun(store, other), 'origin'));
    expect(comparisonSentences(siblings)[0]).toBe(
      `Both are forks of the same run. The first ${at - 1} records are the same.`,
    );
  });

  it('shares no attempts that two forks of one run made alike after their origin', async () => {
    const store = memoryStore();
    const phases = () => [draft(['one', 'two'], ['RETRY: more', 'APPROVE'])];
    await startRun(pipelineOf('book', phases()), { store, runId: 'origin' }).result;
    const at = (await readRun(store, 'origin')).find(({ event }) => event.type === 'phase.retrying')?.seq ?? 0;
    const again = async () => {
      const runId = await forkRun(store, 'origin', { at });
      await (
        await resumeRun(store, runId, pipelineOf('book', [draft(['two'], ['APPROVE'])]), { allowChanged: true })
      ).result;
      return folded(await readRun(store, runId), 'origin');
    };
    const [attempts] = compareRuns(await again(), await again()).phases.map((one) => one.attempts);
    expect(attempts?.map(({ shared, differences }) => [shared, differences])).toEqual([
      [true, []],
      [false, []],
    ]);
  });

  it('finds no difference in the names of people who decided alike', async () => {
    const { records } = await play([draft(['one'], ['APPROVE'])]);
    const by = (who: string) =>
      folded(records.map((one) => (one.event.type === 'review.decided' ? withEvent(one, { ...one.event, who }) : one)));
    expect(by('ada').phases['draft']?.attempts[0]?.decisions[0]?.who).toBe('ada');
    expect(differing(compareRuns(by('ada'), by('bob')))).toEqual([]);
  });

  it('takes forged records whose phases or tasks have the names of properties that every object has', async () => {
    const { records } = await play([fake('odd'), fake('a')]);
    const other = folded((await play([fake('a')])).records);
    for (const name of ['toString', 'constructor', '__proto__']) {
      const forged = JSON.parse(JSON.stringify(records).replaceAll('"odd"', `"${name}"`)) as typeof records;
      const [phase] = compareRuns(folded(forged), other).phases;
      expect([phase?.phase, phase?.differences, phase?.phases[1]]).toEqual([name, ['presence'], null]);
      const task = JSON.parse(JSON.stringify(records).replaceAll('"work"', `"${name}"`)) as typeof records;
      const [odd] = compareRuns(folded(task), other).phases;
      expect(odd?.outputs).toEqual([{ task: name, values: ['odd 1', undefined], same: false }]);
    }
  });

  it('does not claim that masked inputs are the same', async () => {
    const redact: Redact = (event) => (event.type === 'run.started' ? { ...event, input: 'masked' } : event);
    const masked = async (input: string) => folded((await play([fake('a')], { run: { input, redact } })).records);
    const [one, other] = [await masked('one'), await masked('another')];
    expect(compareRuns(one, other).sameInput).toBeNull();
    expect(comparisonSentences(compareRuns(one, other))).toContain(
      'The input is the same, but for secrets in it, which are masked.',
    );
  });

  it('compares attempts of a run that goes on as far as they are', async () => {
    const { records } = await play([draft(['one', 'two'], ['RETRY: more', 'APPROVE'])]);
    for (let count = 1; count <= records.length; count += 1) {
      const comparison = compareRuns(folded(records), folded(records.slice(0, count)));
      expect(differing(comparison).length > 0).toBe(count < records.length - 1);
    }
  });
});
