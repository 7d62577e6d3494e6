/**
 * The log of a task: its progress in words, as it comes.
 *
 * @module
 */
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { inOneLine } from '../../parts/untrusted-text.ts';
import { counted } from '../../parts/words.ts';
import type { TaskHistory } from '../phase/task-history.ts';
import { LogRow } from './log-row.tsx';
import './work.css';

type LogProps = { readonly task: Pick<TaskHistory, 'name' | 'state' | 'log'> };

/** The log; nothing if there are no lines. It is open while the task works. */
export function LogView({ task }: LogProps): ReactNode {
  if (task.log.count === 0) return null;
  return (
    <ClosedPart summary={`Log: ${counted(task.log.count, 'line')}`} startsOpen={task.state === 'working'}>
      {() => <Lines task={task} />}
    </ClosedPart>
  );
}

// --- internal ---

/** Pixels from the end at which a reader is taken to be at the end. */
const NEAR = 24;
/** Lines that are never too long to be seen at once. */
const FEW = 3;
/** Most lines that are all in the page. */
const MOST_WHOLE = 200;

const LogRows = lazy(async () => ({ default: (await import('./log-rows.tsx')).LogRows }));

function Lines({ task: { name, log } }: LogProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const { count } = log;
  /** The height at the last scroll, or with the last new line. Rows that are measured later add to it. */
  const height = useRef(0);
  useEffect(() => {
    if (!box.current) return;
    if (isFollowing) box.current.scrollTop = box.current.scrollHeight;
    height.current = box.current.scrollHeight;
  }, [count, isFollowing]);
  useEffect(() => {
    const own = box.current;
    own?.addEventListener('keydown', toEnd);
    return () => own?.removeEventListener('keydown', toEnd);

    /** Leads to the end as it is once its rows are measured. */
    function toEnd(event: KeyboardEvent): void {
      if (event.key !== 'End') return;
      event.preventDefault();
      setIsFollowing(true);
      scrollTo(own, 'last');
    }
  }, []);
  /** Leads to an end. Rows that are measured before the event of the scroll must not lead back to the other one. */
  function lead(end: 'first' | 'last'): void {
    setIsFollowing(end === 'last');
    scrollTo(box.current, end);
  }
  const isLong = count > FEW;
  const isWhole = count <= MOST_WHOLE;
  return (
    <>
      {/* A long log scrolls, so the keyboard must be able to focus it. */}
      <div
        ref={box}
        className="agent-log"
        tabIndex={isLong ? 0 : undefined}
        role={isLong ? 'region' : undefined}
        aria-label={isLong ? `Lines of ${inOneLine(name)}` : undefined}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          // A reader who has jumped to the end stays there, also if its rows turn out to be higher.
          setIsFollowing(Math.min(scrollHeight, height.current) - scrollTop - clientHeight < NEAR);
          height.current = scrollHeight;
        }}
        // A browser scrolls smoothly to where the end was before its rows were measured.
        onScrollEnd={({ currentTarget }) => {
          if (isFollowing) scrollTo(currentTarget, 'last');
        }}
      >
        {/* Rows that come into view by scrolling are no news. */}
        <div role="log" aria-label={`Log of ${inOneLine(name)}`} aria-live={isFollowing ? 'polite' : 'off'}>
          {isWhole ? (
            log.all.slice(0, count).map((line) => <LogRow key={line.seq} line={line} />)
          ) : (
            <Suspense
              fallback={log.all.slice(count - MOST_WHOLE, count).map((line) => (
                <LogRow key={line.seq} line={line} />
              ))}
            >
              <LogRows log={log} scroller={box} isFollowing={isFollowing} />
            </Suspense>
          )}
        </div>
      </div>
      {isWhole ? null : (
        <p className="log-ends">
          <button type="button" className="link" onClick={() => lead('first')}>
            First line
          </button>{' '}
          <button type="button" className="link" onClick={() => lead('last')}>
            Last line
          </button>
        </p>
      )}
    </>
  );
}

function scrollTo(box: HTMLElement | null, end: 'first' | 'last'): void {
  if (box) box.scrollTop = end === 'first' ? 0 : box.scrollHeight;
}
