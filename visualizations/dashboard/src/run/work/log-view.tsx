/**
 * The log of a task: its progress in words, as it comes.
 *
 * @module
 */
import { type ReactNode, useEffect, useRef } from 'react';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { inOneLine, readable } from '../../parts/untrusted-text.ts';
import { clockText, counted, isoTime, timeText } from '../../parts/words.ts';
import type { TaskHistory } from '../phase/task-history.ts';
import './work.css';

type LogProps = { readonly task: Pick<TaskHistory, 'name' | 'state' | 'log' | 'logged'> };

/** The log; nothing if there are no lines. It is open while the task works. */
export function LogView({ task }: LogProps): ReactNode {
  if (task.logged === 0) return null;
  return (
    <ClosedPart summary={`Log: ${counted(task.logged, 'line')}`} startsOpen={task.state === 'working'}>
      {() => <Lines task={task} />}
    </ClosedPart>
  );
}

// --- internal ---

/** Pixels from the end at which a reader is taken to be at the end. */
const NEAR = 24;
/** Lines that are never too long to be seen at once. */
const FEW = 3;

function Lines({ task: { name, log, logged } }: LogProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [logged]);
  const isLong = log.length > FEW;
  return (
    // A long log scrolls, so the keyboard must be able to focus it.
    <div
      ref={box}
      className="agent-log"
      tabIndex={isLong ? 0 : undefined}
      role={isLong ? 'region' : undefined}
      aria-label={isLong ? `Lines of ${inOneLine(name)}` : undefined}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {logged > log.length ? (
        <p className="quiet">{counted(logged - log.length, 'earlier line')} in the records</p>
      ) : null}
      <div role="log" aria-label={`Log of ${inOneLine(name)}`}>
        {log.map(({ seq, time, text }) => (
          <p key={seq}>
            <time className="quiet" dateTime={isoTime(time)} title={timeText(time)}>
              {clockText(time)}
            </time>{' '}
            {readable(text)}
          </p>
        ))}
      </div>
    </div>
  );
}
