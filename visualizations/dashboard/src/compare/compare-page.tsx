/**
 * The page that compares two runs.
 *
 * @module
 */
import { type ReactNode, useMemo, useState } from 'react';
import { foldComparedRun } from '../../../../src/projections/compare/compared-run.ts';
import { compareRuns, type RunComparison } from '../../../../src/projections/compare/compare-runs.ts';
import type { UiRun } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { follow } from '../data/follow.ts';
import { useStoredRecords } from '../data/read-records.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { usePageMark } from '../parts/page-mark.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { startOf } from '../parts/untrusted-text.ts';
import type { Route } from '../route.ts';
import { ComparedPhases } from './compared-phases.tsx';
import { ComparisonTable } from './comparison-table.tsx';
import { RunChoice } from './run-choice.tsx';
import './compare.css';

interface ComparePageProps {
  readonly route: Extract<Route, { readonly page: 'compare' }>;
}

/** Two runs, compared; or the choice of the second. */
export function ComparePage({ route: { run, other } }: ComparePageProps): ReactNode {
  usePageMark(`Compare ${startOf(run, 60)}${other === '' ? '' : ` and ${startOf(other, 60)}`}`, 'dim');
  return other === '' ? <RunChoice run={run} /> : <Compared a={run} b={other} />;
}

// --- internal ---

function Compared({ a, b }: { readonly a: string; readonly b: string }): ReactNode {
  const [one, other] = [useSide(a), useSide(b)];
  const [showsAll, setShowsAll] = useState(false);
  const comparison = useMemo(
    (): RunComparison | null => (one.side && other.side ? compareRuns(one.side, other.side) : null),
    [one.side, other.side],
  );
  const problems = [one.problem, other.problem].flatMap((problem) => problem ?? []);
  return (
    <>
      <h1>Compare two runs</h1>
      {problems.map((problem, at) => (
        <RefusalNote key={`${at} ${problem.code}`} error={problem} />
      ))}
      {comparison === null && problems.length === 0 ? <p className="quiet">Loading the records of both runs…</p> : null}
      {comparison ? (
        <>
          <ComparisonTable comparison={comparison} />
          <div className="compare-bar">
            <label>
              <input type="checkbox" checked={showsAll} onChange={({ target }) => setShowsAll(target.checked)} /> also
              show phases that are the same
            </label>
            <CopyCommand words={['compare', a, b]} name="Compare" />
          </div>
          <ComparedPhases comparison={comparison} showsAll={showsAll} />
        </>
      ) : null}
    </>
  );
}

type Side = { readonly side: ReturnType<ReturnType<typeof foldComparedRun>['read']> | null } & Pick<
  ReturnType<typeof useStoredRecords>,
  'problem'
>;

/** Reads one run. The server knows the run that it was forked from. */
function useSide(run: string): Side {
  const { versionOf } = useChanges();
  const version = versionOf(run);
  const asked = useAsked<UiRun>(`/api/runs/${encodeURIComponent(run)}`);
  const info = 'value' in asked ? asked.value : undefined;
  const forkOf = info?.forkOf;
  const { records, count, isWhole, problem } = useStoredRecords(info ? run : null, version);
  const follower = useMemo(() => follow(() => foldComparedRun(forkOf)), [forkOf]);
  const side = useMemo(
    () => (isWhole && count > 0 ? follower.to(records, count) : null),
    [follower, records, count, isWhole],
  );
  return { side, problem: asked.state === 'refused' ? asked.error : problem };
}
