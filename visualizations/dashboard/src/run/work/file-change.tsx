/**
 * The change of one file, as the lines of both versions.
 *
 * @module
 */
import { type ReactNode, useMemo, useState } from 'react';
import type { UiChangedFile, UiFileChange } from '../../../../../src/server/api.ts';
import { useAsked } from '../../data/ask.ts';
import { DiffLine } from '../../parts/diff-lines.tsx';
import { RefusalNote } from '../../parts/refusal-note.tsx';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { amount } from '../../parts/words.ts';
import { firstRows, hunksOf, type FileHunks } from './hunks.ts';
import '../../parts/diff.css';

interface FileChangeProps {
  /** The address of the list that the file is in. */
  readonly address: string;
  readonly file: UiChangedFile;
}

/** The change, which is read from the repository. */
export function FileChange({ address, file }: FileChangeProps): ReactNode {
  const { path, from } = file;
  const query = new URLSearchParams({ path, ...(from !== undefined && { from }) });
  const asked = useAsked<UiFileChange>(`${address}/file?${query.toString()}`);
  const change = 'value' in asked ? asked.value : undefined;
  const read = useMemo(() => (change ? hunksOf(change.text) : undefined), [change]);
  if (asked.state === 'refused') return <RefusalNote error={asked.error} />;
  if (!read) return <p className="quiet">Loading the lines…</p>;
  return (
    <>
      {kindWords(read.kinds) === '' ? null : <p className="quiet">{kindWords(read.kinds)}</p>}
      {read.hunks.length === 0 ? (
        <p className="quiet">{withoutLines(file)}</p>
      ) : (
        <HunkTable hunks={read.hunks} name={inOneLine(path)} />
      )}
      {read.isCut || change?.isCut ? (
        <p className="quiet">More lines follow, which are too many for this page. See them with: phasegate diff</p>
      ) : null}
    </>
  );
}

// --- internal ---

/** Rows that are shown at once, and with each click. */
const STEP = 400;

function HunkTable({ hunks, name }: Pick<FileHunks, 'hunks'> & { readonly name: string }): ReactNode {
  const [most, setMost] = useState(STEP);
  const count = hunks.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <div className="diff">
      <table className="diff-lines">
        <caption className="unseen">{name}: before and after</caption>
        <colgroup>
          <col className="number" />
          <col />
          <col className="number" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              before
            </th>
            <th scope="col" colSpan={2}>
              after
            </th>
          </tr>
        </thead>
        {firstRows(hunks, most).map(({ context, rows }, index) => (
          <tbody key={index}>
            {index === 0 && context === '' ? null : (
              <tr className="gap">
                <td colSpan={4}>… {startOf(context, 120)}</td>
              </tr>
            )}
            {rows.map((row) => (
              <DiffLine key={`${row.before?.line ?? ''} ${row.after?.line ?? ''}`} row={row} isWhole={false} />
            ))}
          </tbody>
        ))}
      </table>
      {count > most ? (
        <button type="button" className="more" onClick={() => setMost(most + STEP * 5)}>
          Show more ({amount(most)} of {amount(count)} lines)
        </button>
      ) : null}
    </div>
  );
}

/** Words for a file whose change has no lines. */
function withoutLines({ isBinary = false, from, added = 0, deleted = 0 }: UiChangedFile): string {
  if (isBinary) return 'A binary file has no lines to show.';
  if (added + deleted > 0) return 'Its lines cannot be shown, as its name is not valid text.';
  return from === undefined ? 'No line is changed.' : 'It was only renamed.';
}

function kindWords([first, second]: FileHunks['kinds']): string {
  if (first === undefined) return '';
  if (second !== undefined) return `Before: ${first}. After: ${second}.`;
  return first === 'an ordinary file' ? '' : `It is ${first}.`;
}
