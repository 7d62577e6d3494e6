/**
 * The timeline as a picture. It has a row for each phase, and renders only visible rows.
 *
 * @module
 */
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import { createTimeAxis, type Stretch, type TimeAxis } from '../../../../../src/projections/timeline/time-axis.ts';
import type { Timeline, TimelineBar } from '../../../../../src/projections/timeline/timeline.ts';
import { busyStretches } from '../../../../../src/projections/timeline/work-times.ts';
import { inOneLine } from '../../parts/untrusted-text.ts';
import { useVirtualRows } from '../../parts/virtual-rows.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import { isSeen, moved, showing, type Span, type TimeScale, zoomed } from './time-scale.ts';
import { TimelineArrows } from './timeline-arrows.tsx';
import { TimelineAxis } from './timeline-axis.tsx';
import { BarLink } from './timeline-bar-link.tsx';
import { TimelineCuts } from './timeline-cuts.tsx';
import { TimelineLegend } from './timeline-legend.tsx';
import { barFrom, type BarPlace, keyOf, type TimelineRow } from './timeline-rows.ts';
import { usePlot } from './use-plot.ts';

interface TimelinePlotProps {
  readonly rows: readonly TimelineRow[];
  readonly timeline: Timeline;
  readonly route: RunRoute;
  /** The end of the timeline, in milliseconds since 1970. */
  readonly now: number;
  readonly goesOn: boolean;
}

/** Bars over time. */
export function TimelinePlot({ rows, timeline, route, now, goesOn }: TimelinePlotProps): ReactNode {
  // A stretch of time, as positions on the axis change when an open wait is cut.
  const [part, setPart] = useState<Stretch | null>(null);
  const [isCut, setIsCut] = useState(true);
  const [keys, setKeys] = useState<{ readonly place: BarPlace; readonly moves: number }>(START);
  const { scroller, first, end, reveal } = useVirtualRows<HTMLElement>(rows.length, ROW);
  const axis = useMemo(() => axisOf(timeline, now, isCut), [timeline, now, isCut]);
  // Slightly longer than the run, so that its end is visible.
  const whole: Span = { from: 0, to: Math.max(1, axis.length * 1.02) };
  const span = part ? zoomed({ from: axis.placeOf(part.from), to: axis.placeOf(part.to) }, whole, { by: 1 }) : whole;
  const change = ({ from, to }: Span) =>
    setPart(from === whole.from && to === whole.to ? null : { from: axis.timeAt(from), to: axis.timeAt(to) });
  const { plot, width } = usePlot({
    onZoom: (by, at) => change(zoomed(span, whole, { by, at })),
    onMove: (share) => change(moved(span, whole, share)),
  });
  const scale: TimeScale = { axis, span, width };
  const spanOf = (bar: TimelineBar): Span => ({ from: axis.placeOf(bar.from), to: axis.placeOf(bar.to ?? now) });
  const zoom = (by: number) => change(zoomed(span, whole, { by }));
  const goTo = (place: BarPlace) => {
    setKeys(({ moves }) => ({ place, moves: moves + 1 }));
    reveal(place.row);
    const bar = rows[place.row]?.bars[place.bar];
    if (bar) change(showing(span, whole, spanOf(bar)));
  };
  const zoomAt = (by: number, bar: TimelineBar) => change(showing(zoomed(span, whole, { by }), whole, spanOf(bar)));
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
      <TimelineCuts cuts={axis.cuts} isCut={isCut} onChange={setIsCut} />
      <section
        className="timeline-rows"
        ref={scroller}
        aria-label="Bars of the timeline. Arrow keys go from bar to bar, Enter opens the attempt, + and - zoom, 0 shows all."
      >
        <TimelineAxis plot={plot} scale={scale} begin={timeline.from} end={now} />
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
                  // The bar at the keyboard position stays rendered outside the view, to keep the focus.
                  const isThere = isCurrent || isSeen({ from: bar.from, to: bar.to ?? now }, scale);
                  return isThere ? (
                    <BarLink
                      key={keyOf(bar)}
                      bar={bar}
                      scale={scale}
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
            {...{ rows, scale, first, end, goesOn, now }}
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

function axisOf({ from, bars }: Timeline, now: number, isCut: boolean): TimeAxis {
  const all = { from, to: now };
  return createTimeAxis(all, isCut ? busyStretches(bars.map((bar) => ({ ...bar, to: bar.to ?? now }))) : [all]);
}
