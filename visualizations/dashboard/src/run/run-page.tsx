/**
 * One run: as it is, or as it was at any of its records.
 *
 * @module
 */
import { type ReactNode, useMemo, useState } from 'react';
import { useRecords } from '../data/records.ts';
import { createStoryteller } from '../data/story.ts';
import { StandingBadge } from '../parts/standing.tsx';
import { go, hashOfRun, type Route, runTabs } from '../route.ts';
import { QualityTab } from '../quality/quality-tab.tsx';
import { GraphTab } from './graph-tab.tsx';
import { RecordsTab } from './records-tab.tsx';
import { TimelineTab } from './timeline-tab.tsx';

/** A run and its views. */
export function RunPage({ route }: { readonly route: Extract<Route, { readonly page: 'run' }> }): ReactNode {
  const { run, tab, at } = route;
  const log = useRecords(run);
  const [teller] = useState(createStoryteller);
  const story = useMemo(() => teller.tell(log.records, Math.min(at ?? log.count, log.count)), [teller, log, at]);
  const tabs = { run, log, story, route };
  return (
    <>
      <h1>
        {story.snapshot.pipeline} <small className="quiet">{run}</small> <StandingBadge of={story.snapshot.status} />
      </h1>
      <nav aria-label="Views of the run" className="tabs">
        {runTabs.map((one) => (
          <a key={one} href={hashOfRun(run, { ...route, tab: one })} aria-current={one === tab ? 'page' : undefined}>
            {one}
          </a>
        ))}
      </nav>
      <label>
        Record{' '}
        <input
          type="range"
          min={1}
          max={Math.max(1, log.count)}
          value={story.seq}
          onChange={({ target }) => {
            const seq = Number(target.value);
            go({ ...route, at: seq >= log.count ? null : seq }, 'replace');
          }}
        />{' '}
        {story.seq} of {log.count}
      </label>
      {tab === 'graph' ? <GraphTab {...tabs} /> : null}
      {tab === 'timeline' ? <TimelineTab {...tabs} /> : null}
      {tab === 'quality' ? <QualityTab {...tabs} /> : null}
      {tab === 'records' ? <RecordsTab {...tabs} /> : null}
    </>
  );
}
