/**
 * The files that an agent has changed. Each opens to its lines.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import type { UiChangedFile, UiChanges } from '../../../../../src/server/api.ts';
import { Refused, useAsked } from '../../data/ask.ts';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { RefusalNote } from '../../parts/refusal-note.tsx';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { amount, counted } from '../../parts/words.ts';
import { FileChange } from './file-change.tsx';

interface ChangedFilesProps {
  readonly run: string;
  readonly seq: number;
  /** The name of the task. */
  readonly name: string;
}

/** The list of files. */
export function ChangedFiles({ run, seq, name }: ChangedFilesProps): ReactNode {
  const address = `/api/runs/${encodeURIComponent(run)}/records/${seq}/changes`;
  const asked = useAsked<UiChanges>(address);
  const [isWhole, setIsWhole] = useState(false);
  if (asked.state === 'loading') return <p className="quiet">Loading the changes…</p>;
  if (asked.state === 'refused') return <RefusalNote error={asked.error} />;
  const { files, fileCount, problem, commit } = asked.value;
  const shown = isWhole ? files : files.slice(0, MOST_FILES);
  const unlisted = (fileCount ?? 0) - files.length;
  return (
    <div className="changed-files">
      <p className="quiet">
        Commit <code>{startOf(commit, 64)}</code>
      </p>
      {problem ? <RefusalNote error={new Refused({ error: problem })} /> : null}
      {files.length === 0 && !problem ? <p className="quiet">No file is changed.</p> : null}
      <ul aria-label={`Files changed by ${name}`}>
        {shown.map((file) => (
          <li key={`${file.path} ${file.from ?? ''}`}>
            {problem ? (
              <FileName file={file} />
            ) : (
              <ClosedPart summary={<FileName file={file} />} startsOpen={files.length === 1}>
                {() => <FileChange address={address} file={file} />}
              </ClosedPart>
            )}
          </li>
        ))}
      </ul>
      {files.length > MOST_FILES ? (
        <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all (${counted(files.length, 'file')})`}
        </button>
      ) : null}
      {unlisted > 0 ? <p className="quiet">{counted(unlisted, 'more file')} cannot be listed here.</p> : null}
    </div>
  );
}

// --- internal ---

const MOST_FILES = 100;

const STATUS = {
  added: 'added',
  modified: 'changed',
  deleted: 'deleted',
  typeChanged: 'other kind',
  renamed: 'renamed',
} as const satisfies Record<NonNullable<UiChangedFile['status']>, string>;

function FileName({ file }: { readonly file: UiChangedFile }): ReactNode {
  const { path, from, status, added = 0, deleted = 0, isBinary = false, isUnexpected } = file;
  return (
    <>
      {status === undefined ? null : <span className={`file-status ${status}`}>{STATUS[status]}</span>}{' '}
      <code className="path">
        {from === undefined ? '' : `${inOneLine(from)} → `}
        {inOneLine(path)}
      </code>{' '}
      {status === undefined ? null : isBinary ? (
        <span className="quiet">binary</span>
      ) : (
        <span className="line-counts">
          <span className="added">+{amount(added)}</span> <span className="removed">−{amount(deleted)}</span>
        </span>
      )}{' '}
      {isUnexpected ? <span className="tag unexpected">not expected by the plan</span> : null}
    </>
  );
}
