/**
 * A phase in the graph.
 *
 * @module
 */
import type { NodeProps } from '@xyflow/react';
import { memo, type ReactNode, use, useEffect, useRef } from 'react';
import { statusMarks } from '../../../../../src/projections/wording/status-marks.ts';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { standingWords } from '../../parts/status.tsx';
import { Elapsed } from './elapsed.tsx';
import { KeysContext } from './graph-keys.ts';
import type { PhaseNode } from './graph-parts.ts';
import { MOST_SUBTASKS } from './layout-request.ts';
import type { PhaseFace } from './phase-face.ts';

/** A button with the name of the phase, its status and its attempt. */
export const PhaseBox = memo(function PhaseBox({ id, data: { face, isDim, isOpen } }: NodeProps<PhaseNode>): ReactNode {
  const { current, moves } = use(KeysContext);
  const button = useRef<HTMLButtonElement>(null);
  const { mark, tone } = statusMarks[face.status];
  const isCurrent = current === face.index;
  useEffect(() => {
    // Restores the focus, also if the node was not rendered meanwhile.
    if (isCurrent && moves > 0 && isInGraph(document.activeElement)) button.current?.focus({ preventScroll: true });
  }, [isCurrent, moves]);
  const details = [
    face.attempt === 'attempt 1' ? '' : face.attempt,
    face.generation > 0 ? `generation ${face.generation + 1}` : '',
    ...face.notes,
    startOf(face.progress, 60),
  ].filter((one) => one !== '');
  return (
    <button
      ref={button}
      type="button"
      className={`phase-box ${tone}${isDim ? ' faded' : ''}${face.status === 'pending' ? ' pending' : ''}`}
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      data-phase={id}
      title={inOneLine(face.name).slice(0, 300)}
    >
      <span className="name">{inOneLine(face.name)}</span>
      <span className="state">
        <span aria-hidden="true">{mark}</span> {standingWords[face.status]}
        {face.status === 'running' || face.status === 'reviewing' ? <Elapsed phase={face.name} /> : null}
      </span>
      <span className="details">{details.join(' · ')}</span>
      <Subtasks subtasks={face.subtasks} />
    </button>
  );
});

// --- internal ---

/** A line for each subtask, with its status. */
function Subtasks({ subtasks }: Pick<PhaseFace, 'subtasks'>): ReactNode {
  return (
    <>
      {subtasks.slice(0, MOST_SUBTASKS).map(({ subtaskId, title, status }) => {
        const { mark, tone } = statusMarks[status];
        return (
          <span key={subtaskId} className={`subtask ${tone}`} title={startOf(title, 300)}>
            <span aria-hidden="true">{mark}</span> {startOf(subtaskId, 20)} {startOf(title, 60)}{' '}
            <span className="unseen">({status})</span>
          </span>
        );
      })}
      {subtasks.length > MOST_SUBTASKS ? (
        <span className="details">and {subtasks.length - MOST_SUBTASKS} more</span>
      ) : null}
    </>
  );
}

/** A focused node that is no longer rendered leaves the focus to the page. */
function isInGraph(element: Element | null): boolean {
  return element === document.body || element?.closest('.phase-graph') !== null;
}
