/**
 * The panel of a phase, next to the views of its run.
 *
 * @module
 */
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { levelNumber } from '../../../../../src/model/plan/level.ts';
import type { RunRecord } from '../../../../../src/model/events/event.ts';
import { follow } from '../../data/follow.ts';
import { useNow } from '../../data/now.ts';
import { startOf } from '../../parts/untrusted-text.ts';
import { StandingBadge } from '../../parts/status.tsx';
import { counted, isoTime, timeText } from '../../parts/words.ts';
import { hashOf, type RunRoute } from '../../route.ts';
import { AttemptView } from './attempt-view.tsx';
import { PhaseChart } from '../graph/chart-view.tsx';
import { PhaseFacts } from './phase-facts.tsx';
import { attemptAt, startPhaseHistory } from './phase-history.ts';
import { wordsOf } from '../records/record-words.ts';
import type { TabProps } from '../tab.ts';
import { timesOf, timesText, useTimeline } from '../timeline/use-timeline.ts';
import './phase-panel.css';

interface PhasePanelProps extends TabProps {
  readonly phase: string;
  readonly close: () => void;
}

/** The panel of a phase. */
export function PhasePanel({ phase, log, moment, route, goesOn, close }: PhasePanelProps): ReactNode {
  const [follower] = useState(() => follow(() => startPhaseHistory(phase)));
  const own = useMemo(() => follower.to(log.records, moment.seq), [follower, log, moment]);
  const heading = useRef<HTMLHeadingElement>(null);
  const clock = useNow(goesOn ? 1000 : NEVER);
  const timeline = useTimeline({ log, moment });
  const bars = useMemo(() => timeline.bars.filter((bar) => bar.phase === phase), [timeline, phase]);
  const { plan, snapshot } = moment;
  const result = snapshot.phases[phase];
  const definition = plan?.phases.find(({ name }) => name === phase);
  const wanted = attemptAt(own.attempts, route.attempt);
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    opener.current = document.activeElement;
    // A page that loads with an open panel keeps its focus.
    if (opener.current !== document.body) heading.current?.focus();
  }, []);
  const leave = () => {
    close();
    focusOn(opener.current);
  };
  useEscape(leave);
  return (
    <aside className="phase-panel" aria-label={`Phase ${startOf(phase, 80)}`}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {startOf(phase, 120)}
        </h2>
        {result ? <StandingBadge of={moment.asking.has(phase) ? 'waiting' : result.status} /> : null}
        <button type="button" title="Escape" onClick={leave}>
          Close
        </button>
      </header>
      {definition && plan ? null : <p>The run has no phase of this name.</p>}
      {definition && plan ? (
        <>
          <h3>{own.attempts.length === 0 ? 'It has not started' : counted(own.attempts.length, 'attempt')}</h3>
          <ol className="attempts" reversed>
            {own.attempts.toReversed().map((attempt) => (
              <AttemptView
                key={`${attempt.seq} ${route.attempt ?? ''}`}
                phase={phase}
                isLevel={levelNumber(definition) !== undefined}
                attempt={attempt}
                before={own.attempts[attempt.number - 2]}
                route={route}
                times={timesText(
                  timesOf(
                    bars.filter(({ number }) => number === attempt.number),
                    goesOn ? Math.max(clock, moment.time) : moment.time,
                  ),
                )}
                isOpen={attempt.number - 1 === wanted}
                isWanted={route.attempt !== null && attempt.number - 1 === wanted}
              />
            ))}
          </ol>
          <Between records={own.between} route={route} />
          <h3>Definition</h3>
          <PhaseFacts plan={plan} phase={definition} route={route} />
          <section aria-label="Statechart">
            <PhaseChart state={own.state} />
          </section>
        </>
      ) : null}
    </aside>
  );
}

// --- internal ---

/** Milliseconds. */
const NEVER = 1e9;

/** Records of the phase between its attempts. */
function Between({ records, route }: { readonly records: readonly RunRecord[]; readonly route: RunRoute }): ReactNode {
  if (records.length === 0) return null;
  return (
    <section aria-label="Between attempts">
      <h3>Between attempts</h3>
      <ul className="between">
        {records.toReversed().map((record) => (
          <li key={record.seq}>
            <a className="quiet" href={hashOf({ ...route, at: record.seq })} title="Show the run as of this record">
              <time dateTime={isoTime(record.time)}>{timeText(record.time)}</time>
            </a>{' '}
            {wordsOf(record)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the focus to an element; to the content if that is gone, or was the page itself. */
function focusOn(element: Element | null): void {
  const isThere = element instanceof HTMLElement && element.isConnected && element !== document.body;
  (isThere ? element : document.getElementById('main'))?.focus({ preventScroll: true });
}

/** Handles the Escape key, unless a dialog is open or the focused element handles the key. */
function useEscape(close: () => void): void {
  const act = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) close();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => act(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
