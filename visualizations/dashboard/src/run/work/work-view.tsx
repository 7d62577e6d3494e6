/**
 * The work of an agent: the files that it has changed, and its last words.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { counted } from '../../parts/words.ts';
import { ChangedFiles } from './changed-files.tsx';
import type { Work } from './work-in.ts';
import './work.css';

interface WorkViewProps {
  readonly work: Work;
  readonly run: string;
  /** The number of the record with the output of the task. */
  readonly seq: number;
  /** The name of the task. */
  readonly name: string;
}

/** The work. The changes are read from the repository when they are opened. */
export function WorkView({ work, run, seq, name }: WorkViewProps): ReactNode {
  const { fileCount, outOfScope = [], summary = '' } = work;
  return (
    <>
      {summary === '' ? null : <LongText text={summary} name={`last words of ${name}`} />}
      <ClosedPart
        summary={
          <>
            Changes
            {fileCount === undefined ? '' : `: ${counted(fileCount, 'file')}`}
            {outOfScope.length === 0 ? null : (
              <span className="warn-text">, {outOfScope.length} not expected by the plan</span>
            )}
          </>
        }
      >
        {() => <ChangedFiles run={run} seq={seq} name={name} />}
      </ClosedPart>
    </>
  );
}
