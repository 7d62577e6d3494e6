/**
 * The page of a run: its latest state, or its state at any record.
 *
 * @module
 */
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { UiRun } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useChanges } from '../data/changes.ts';
import { useRecords } from '../data/records.ts';
import { createRunHistory } from '../data/run-history.ts';
import { go } from '../navigate.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { hashOfRun, type RunRoute, type RunTab, runTabs } from '../route.ts';
import { QualityTab } from '../quality/quality-tab.tsx';
import { GraphTab } from './graph/graph-tab.tsx';
import { PhasePanel } from './phase/phase-panel.tsx';
import { RecordsTab } from './records/records-tab.tsx';
import { EndCauses } from './end-causes.tsx';
import { OpenItems, useOpenItems, WaitsBelow } from './open-items.tsx';
import { RunDetails } from './run-details.tsx';
import { RunHead } from './run-head.tsx';
import { NotBegun } from '../start/worker-advice.tsx';
import { RunStory } from './run-story.tsx';
import type { TabProps } from './tab.ts';
import { TimeBar } from './time-bar.tsx';
import { TimelineTab } from './timeline/timeline-tab.tsx';
import { useMoment } from './use-moment.ts';
import { ChildRunsContext, useChildRuns } from './work/child-runs.ts';
import './run.css';

/** A run and its views. */
export function RunPage({ route: place }: { readonly route: RunRoute }): ReactNode {
  const { run } = place;
  const log = useRecords(run);
  const { version } = useChanges();
  const asked = useAsked<UiRun>(`/api/runs/${encodeURIComponent(run)}`, version);
  const info = 'value' in asked ? asked.value : undefined;
  const [history] = useState(createRunHistory);
  const [at, look] = useMoment(place);
  // The views may lag behind the slider.
  const shownAt = useDeferredValue(at);
  const route = useMemo(() => ({ ...place, at: shownAt }), [place, shownAt]);
  const moment = useMemo(
    () => history.at(log.records, Math.min(shownAt ?? log.count, log.count)),
    [history, log, shownAt],
  );
  const children = useChildRuns(run, version);
  const items = useOpenItems(run);
  const close = useCallback(() => go({ ...route, phase: null, attempt: null }), [route]);
  if (log.count === 0 && asked.state === 'refused') {
    return (
      <>
        <h1>This run cannot be shown</h1>
        <RefusalNote error={asked.error} />
      </>
    );
  }
  if (log.count === 0) return <p className="quiet">Loading the records of the run…</p>;
  const isLive = shownAt === null;
  const goesOn = isLive && moment.snapshot.status === 'running' && typeof info?.worker === 'string';
  const view = { run, log, moment, route, goesOn };
  return (
    <ChildRunsContext value={children}>
      {log.state === 'gone' ? (
        <p className="banner" role="alert">
          This run was removed from the store. This page shows its last state.
        </p>
      ) : null}
      <div className="run">
        <RunHead run={run} moment={moment} info={isLive ? info : undefined} items={isLive ? items : []} />
        {isLive ? <OpenItems items={items} /> : null}
        {isLive ? <WaitsBelow runs={info?.waitsIn} /> : null}
        {isLive ? <NotBegun run={info} /> : null}
        <EndCauses moment={moment} route={route} />
        <RunStory log={log} moment={moment} route={route} />
        <RunDetails run={run} moment={moment} info={info} isLive={isLive} />
        <TimeBar log={log} plan={moment.plan} at={at} look={look} />
        <nav aria-label="Views of the run" className="tabs">
          {runTabs.map((tab) => (
            <a
              key={tab}
              href={hashOfRun(run, { ...route, tab, only: '' })}
              aria-current={tab === route.tab ? 'page' : undefined}
            >
              {NAMES[tab]}
            </a>
          ))}
          {shownAt === null ? null : <span className="past">As of record {moment.seq}</span>}
        </nav>
        <div className={route.phase === null ? 'run-view' : 'run-view with-panel'}>
          <div className="tab-view">
            <Tab {...view} />
          </div>
          {route.phase === null ? null : <PhasePanel key={route.phase} {...view} phase={route.phase} close={close} />}
        </div>
      </div>
    </ChildRunsContext>
  );
}

// --- internal ---

const NAMES: Readonly<Record<RunTab, string>> = {
  graph: 'Graph',
  timeline: 'Timeline',
  quality: 'Cost and quality',
  records: 'Records',
};

function Tab(props: TabProps): ReactNode {
  switch (props.route.tab) {
    case 'graph':
      return <GraphTab {...props} />;
    case 'timeline':
      return <TimelineTab {...props} />;
    case 'quality':
      return <QualityTab {...props} />;
    case 'records':
      return <RecordsTab {...props} />;
  }
}
