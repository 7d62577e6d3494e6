/**
 * The timeline of a run.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import { useNow } from '../../data/now.ts';
import { FindField } from '../../parts/view-bar.tsx';
import { counted } from '../../parts/words.ts';
import { go } from '../../navigate.ts';
import { hashOf } from '../../route.ts';
import type { TabProps } from '../tab.ts';
import { rowsOf } from './timeline-rows.ts';
import { TimelinePlot } from './timeline-plot.tsx';
import { TimelineTable } from './timeline-table.tsx';
import { useTimeline } from './use-timeline.ts';
import '../list.css';
import './timeline.css';

/** The timeline, as a picture or as a table. */
export function TimelineTab({ log, moment, route, goesOn }: TabProps): ReactNode {
  const timeline = useTimeline({ log, moment });
  const { find, list } = route;
  const all = useMemo(() => rowsOf(timeline), [timeline]);
  const rows = useMemo(() => {
    const part = find.toLowerCase();
    return part === '' ? all : all.filter(({ phase }) => phase.toLowerCase().includes(part));
  }, [all, find]);
  const clock = useNow(goesOn ? 1000 : NEVER);
  const now = goesOn ? Math.max(clock, timeline.to) : timeline.to;
  return (
    <section aria-label="Timeline">
      <div className="view-bar">
        <FindField label="Name" value={find} onChange={(name) => go({ ...route, find: name }, 'replace')} />
        <a href={hashOf({ ...route, list: !list })}>{list ? 'As a picture' : 'As a table'}</a>
        <output className="count quiet">
          {rows.length === all.length
            ? `${counted(all.length, 'phase')} started`
            : `${rows.length} of ${counted(all.length, 'phase')} started`}
        </output>
      </div>
      {rows.length === 0 ? <p className="quiet">No phase has started.</p> : null}
      {rows.length > 0 && list ? <TimelineTable rows={rows} route={route} now={now} /> : null}
      {rows.length > 0 && !list ? (
        <TimelinePlot rows={rows} timeline={timeline} route={route} now={now} goesOn={goesOn} />
      ) : null}
    </section>
  );
}

// --- internal ---

/** Milliseconds. */
const NEVER = 1e9;
