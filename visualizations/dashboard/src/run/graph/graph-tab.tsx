/**
 * The phases of a run, as a graph or as a list.
 *
 * @module
 */
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { standingWords } from '../../parts/status.tsx';
import { FindField, FoundCount, KindField } from '../../parts/view-bar.tsx';
import { counted } from '../../parts/words.ts';
import { go } from '../../navigate.ts';
import { hashOf, routeOf } from '../../route.ts';
import { ElapsedContext } from './elapsed.tsx';
import { createFaceMaker, type PhaseFace } from './phase-face.ts';
import { isWanted, kindsOf } from '../phase/phase-filter.ts';
import { hasRewinds } from './rewinds-of.ts';
import { PhaseList } from '../phase/phase-list.tsx';
import type { TabProps } from '../tab.ts';
import { rowsOf } from '../timeline/timeline-rows.ts';
import { useTimeline } from '../timeline/use-timeline.ts';
import { useLayout } from './use-layout.ts';
import '../list.css';

/** The phases with their filters. */
export function GraphTab(props: TabProps): ReactNode {
  const { moment, route, log, goesOn } = props;
  const { plan } = moment;
  const { find, only, list, phase } = route;
  const [maker] = useState(createFaceMaker);
  const faces = useMemo(() => maker.facesOf(moment), [maker, moment]);
  const layout = useLayout(plan);
  const isLookedFor = useCallback((face: PhaseFace) => isWanted(face, { find, only }), [find, only]);
  const wanted = useMemo(() => faces.filter(isLookedFor), [faces, isLookedFor]);
  const timeline = useTimeline({ log, moment });
  const elapsed = useMemo(() => {
    const bars = new Map(rowsOf(timeline).map((row) => [row.phase, row.bars]));
    return { bars, until: goesOn ? null : moment.time };
  }, [timeline, goesOn, moment.time]);
  const kinds = useMemo(() => kindsOf(faces), [faces]);
  const [showsAll, setShowsAll] = useState(false);
  if (!plan) return <p className="quiet">The run has not started.</p>;
  return (
    <section aria-label="Phases">
      <div className="view-bar">
        <FindField label="Name" value={find} onChange={(name) => go({ ...route, find: name }, 'replace')} />
        <KindField
          label="Status"
          value={only}
          kinds={kinds}
          all={faces.length}
          nameOf={wordOf}
          onChange={(kind) => go({ ...route, only: kind }, 'replace')}
        />
        {list || !hasRewinds(plan) ? null : (
          <label>
            <input type="checkbox" checked={showsAll} onChange={() => setShowsAll(!showsAll)} /> All rewinds
          </label>
        )}
        <a href={hashOf({ ...route, list: !list })}>{list ? 'As a graph' : 'As a list'}</a>
        <FoundCount found={wanted.length} all={faces.length} noun="phase" />
      </div>
      {list ? <PhaseList {...props} faces={wanted} /> : null}
      {!list && layout ? (
        <Suspense fallback={<p className="quiet">Loading the graph…</p>}>
          <ElapsedContext value={elapsed}>
            <PhaseGraph
              key={plan.name}
              plan={plan}
              layout={layout}
              faces={faces}
              sentBack={moment.sentBack}
              isWanted={isLookedFor}
              showsAll={showsAll}
              open={phase}
              onOpen={openPhase}
            />
          </ElapsedContext>
        </Suspense>
      ) : null}
      {!list && !layout ? <output className="quiet">Laying out {counted(faces.length, 'phase')}…</output> : null}
    </section>
  );
}

// --- internal ---

/** The library that draws graphs is larger than the rest of the page of a run. */
const PhaseGraph = lazy(() => import('./phase-graph.tsx').then(({ PhaseGraph: graph }) => ({ default: graph })));

/** Opens the panel of a phase; closes it if it is open. */
function openPhase(phase: string): void {
  const here = routeOf(location.hash);
  if (here.page === 'run') go({ ...here, phase: here.phase === phase ? null : phase, attempt: null });
}

function wordOf(kind: string): string {
  return Object.entries(standingWords).find(([name]) => name === kind)?.[1] ?? kind;
}
