/**
 * The timeline, drawn: a row for each phase, of which those are there that can be seen.
 *
 * @module
 */
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import type { Timeline, TimelineBar } from '../../../../src/model/timeline.ts';
import { inOneLine } from '../parts/foreign-text.ts';
import { useVirtualRows } from '../parts/virtual-rows.ts';
import { hashOf, type RunRoute } from '../route.ts';
import { moved, showing, type Span, zoomed } from './time-scale.ts';
import { TimelineArrows } from './timeline-arrows.tsx';
import { TimelineAxis } from './timeline-axis.tsx';
import { BarLink } from './timeline-bar-link.tsx';
import { TimelineLegend } from './timeline-legend.tsx';
import { barFrom, type BarPlace, keyOf, type TimelineRow } from './timeline-rows.ts';
import { usePlot } from './use-plot.ts';

interface TimelinePlotProps {
  readonly rows: readonly TimelineRow[];
  readonly timeline: Timeline;
  readonly route: RunRoute;
  /** Until when it is drawn. */
  readonly now: number;
  readonly goesOn: boolean;
}

/** Bars over time. */
export function TimelinePlot({ rows, timeline, route, now, goesOn }: TimelinePlotProps): ReactNode {
  const [part, setPart] = useState<Span | null>(null);
  const [keys, setKeys] = useState<{ readonly place: BarPlace; readonly moves: number }>(START);
  const { scroller, first, end, reveal } = useVirtualRows<HTMLElement>(rows.length, ROW);
  const whole = useMemo(() => wholeOf(timeline.from, now), [timeline.from, now]);
  const span = part ? moved(part, whole, 0) : whole;
  const change = (next: Span) => setPart(next.from === whole.from && next.to === whole.to ? null : next);
  const { plot, width } = usePlot({
    onZoom: (by, at) => change(zoomed(span, whole, { by, at })),
    onMove: (share) => change(moved(span, whole, share)),
  });
  const zoom = (by: number) => change(zoomed(span, whole, { by }));
  const goTo = (place: BarPlace) => {
    setKeys(({ moves }) => ({ place, moves: moves + 1 }));
    reveal(place.row);
    const bar = rows[place.row]?.bars[place.bar];
    if (bar) change(showing(span, whole, { from: bar.from, to: bar.to ?? now }));
  };
  const zoomAt = (by: number, { from, to }: TimelineBar) =>
    change(showing(zoomed(span, whole, { by }), whole, { from, to: to ?? now }));
  const onKey = (event: KeyboardEvent, bar: TimelineBar, place: BarPlace) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey) return;
    const next = barFrom(rows, place, key);
    if (next) goTo(next);
    else if (key === '+' || key === '=') zoomAt(2, bar);
    else if (key === '-') zoomAt(0.5, bar);
    else if (key === '0') setPart(null);
    else return;
    event.preventDefault();
  };
  const place = rows[keys.place.row]?.bars[keys.place.bar] ? keys.place : START.place;
  return (
    <div className="timeline">
      <div className="timeline-tools">
        <button type="button" onClick={() => zoom(2)}>
          Zoom in
        </button>
        <button type="button" onClick={() => zoom(0.5)} disabled={part === null}>
          Zoom out
        </button>
        <button type="button" onClick={() => change(moved(span, whole, -0.5))} disabled={span.from <= whole.from}>
          Earlier
        </button>
        <button type="button" onClick={() => change(moved(span, whole, 0.5))} disabled={span.to >= whole.to}>
          Later
        </button>
        <button type="button" onClick={() => setPart(null)} disabled={part === null}>
          All
        </button>
        <TimelineLegend />
      </div>
      <section
        className="timeline-rows"
        ref={scroller}
        aria-label="Bars of the timeline. Arrow keys go from bar to bar, Enter opens the attempt, + and - zoom, 0 shows all."
      >
        <TimelineAxis plot={plot} span={span} begin={timeline.from} width={width} />
        <div className="rows" style={{ height: rows.length * ROW }}>
          {rows.slice(first, end).map(({ phase, bars }, at) => (
            <div
              key={phase}
              className={`row${phase === route.phase ? ' current' : ''}`}
              style={{ top: (first + at) * ROW, height: ROW }}
            >
              <a
                className="row-name"
                href={hashOf({ ...route, phase, attempt: null })}
                title={inOneLine(phase).slice(0, 300)}
              >
                {inOneLine(phase).slice(0, 120)}
              </a>
              <div className="row-plot">
                {bars.map((bar, index) => {
                  const isCurrent = place.row === first + at && place.bar === index;
                  // The one that the keyboard is at stays, wherever it is: with it the focus would be gone.
                  const isThere = isCurrent || ((bar.to ?? now) >= span.from && bar.from <= span.to);
                  return isThere ? (
                    <BarLink
                      key={keyOf(bar)}
                      bar={bar}
                      span={span}
                      width={width}
                      now={now}
                      route={route}
                      isCurrent={isCurrent}
                      moves={keys.moves}
                      onKey={(event) => onKey(event, bar, { row: first + at, bar: index })}
                    />
                  ) : null;
                })}
              </div>
            </div>
          ))}
          <TimelineArrows
            {...{ rows, span, width, first, end, goesOn, now }}
            arrows={timeline.arrows}
            holds={timeline.holds}
            rowHeight={ROW}
          />
        </div>
      </section>
    </div>
  );
}

// --- internal ---

const ROW = 30;
const START = { place: { row: 0, bar: 0 }, moves: 0 } as const;

/** A little longer than it lasted, so that its end can be seen. */
function wholeOf(from: number, now: number): Span {
  return { from, to: now + Math.max(1, (now - from) * 0.02) };
}
