/**
 * A bar of the timeline.
 *
 * @module
 */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import type { TimelineBar } from '../../../../../src/projections/timeline/timeline.ts';
import { timelineWords } from '../../../../../src/projections/wording/timeline-words.ts';
import { timeText } from '../../parts/words.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import { type TimeScale, xOf } from './time-scale.ts';
import { barWords } from './timeline-rows.ts';

interface BarLinkProps {
  readonly bar: TimelineBar;
  readonly scale: TimeScale;
  readonly now: number;
  readonly route: RunRoute;
  /** True if the keyboard position is this bar. It takes the focus after each move. */
  readonly isCurrent: boolean;
  readonly moves: number;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** A bar that links to its attempt. */
export function BarLink({ bar, scale, now, route, isCurrent, moves, onKey }: BarLinkProps): ReactNode {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent && moves > 0 && isInPlot(document.activeElement)) link.current?.focus({ preventScroll: true });
  }, [isCurrent, moves]);
  // A bar beyond the edges is cut slightly outside of them.
  const left = Math.max(-BEYOND, xOf(bar.from, scale));
  const right = Math.min(scale.width + BEYOND, xOf(bar.to ?? now, scale));
  const size = Math.max(LEAST, right - left);
  const words = barWords(bar, now);
  const isBad = bar.outcome === 'failed' || bar.outcome === 'rejected' || bar.outcome === 'interrupted';
  return (
    <a
      ref={link}
      href={hashOf({ ...route, phase: bar.phase, attempt: bar.seq })}
      className={`bar ${bar.kind}${bar.task === undefined ? '' : ' inner'}${isBad ? ' ended-badly' : ''}${bar.to === null ? ' open' : ''}`}
      style={{ left, width: size }}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={words}
      title={`${words}\nfrom ${timeText(bar.from)}`}
      onKeyDown={onKey}
    >
      {size > ROOM && bar.task === undefined ? <span aria-hidden="true">{SHORT[bar.kind]}</span> : null}
    </a>
  );
}

// --- internal ---

/** Pixels. */
const LEAST = 3;
const BEYOND = 20;
const ROOM = 56;

const SHORT: typeof timelineWords = {
  work: 'work',
  review: 'review',
  person: 'person',
  backoff: 'again',
  waiting: 'waits',
};

function isInPlot(element: Element | null): boolean {
  return element === document.body || element?.closest('.timeline') !== null;
}
