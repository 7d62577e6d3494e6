/**
 * The rows of a comparison. Equal lines are folded, and long comparisons are cut, until the user asks for more.
 *
 * @module
 */
import { type ReactNode, useMemo, useState } from 'react';
import { type DiffGap, type DiffRow, type DiffSide, foldedRows } from './diff-rows.ts';
import { readable } from './untrusted-text.ts';
import { counted } from './words.ts';
import './diff.css';

interface DiffLinesProps {
  readonly rows: readonly DiffRow[];
  readonly names: readonly [before: string, after: string];
  readonly name: string;
}

/** A table with the lines of both texts. */
export function DiffLines({ rows, names, name }: DiffLinesProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const folded = useMemo(() => foldedRows(rows), [rows]);
  const shown = isWhole ? folded : folded.slice(0, MOST_ROWS);
  const isCut = folded.length > MOST_ROWS || rows.some((row) => isLong(row.before) || isLong(row.after));
  return (
    <>
      <table className="diff-lines">
        <caption className="unseen">
          {name}: {names[0]} and {names[1]}
        </caption>
        <colgroup>
          <col className="number" />
          <col />
          <col className="number" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              {names[0]}
            </th>
            <th scope="col" colSpan={2}>
              {names[1]}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) =>
            row.kind === 'gap' ? (
              <Gap key={`gap ${keyOf(row.rows[0])}`} gap={row} />
            ) : (
              <DiffLine key={keyOf(row)} row={row} isWhole={isWhole} />
            ),
          )}
        </tbody>
      </table>
      {isCut ? (
        <button type="button" className="more" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all (${counted(rows.length, 'line')})`}
        </button>
      ) : null}
    </>
  );
}

/** A line of both texts, as a row of a table of this look. */
export function DiffLine({ row, isWhole }: { readonly row: DiffRow; readonly isWhole: boolean }): ReactNode {
  const { kind, before, after } = row;
  return (
    <tr className={kind}>
      <Side side={before} at="before" isWhole={isWhole} change={kind === 'same' ? 'same' : 'removed'} />
      <Side side={after} at="after" isWhole={isWhole} change={kind === 'same' ? 'same' : 'added'} />
    </tr>
  );
}

// --- internal ---

const MOST_ROWS = 120;
/** Characters of a line. */
const LONGEST = 1500;

function isLong(side: DiffSide | undefined): boolean {
  return (side?.parts.reduce((sum, { text }) => sum + text.length, 0) ?? 0) > LONGEST;
}

function keyOf(row: DiffRow | undefined): string {
  return `${row?.before?.line ?? ''} ${row?.after?.line ?? ''}`;
}

function Gap({ gap }: { readonly gap: DiffGap }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const count = counted(gap.rows.length, 'line');
  return (
    <>
      <tr className="gap">
        <td colSpan={4}>
          <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'} {count} that {gap.rows.length === 1 ? 'is' : 'are'} the same
          </button>
        </td>
      </tr>
      {isOpen ? gap.rows.map((row) => <DiffLine key={keyOf(row)} row={row} isWhole={false} />) : null}
    </>
  );
}

interface SideProps {
  readonly side: DiffSide | undefined;
  readonly at: 'before' | 'after';
  readonly isWhole: boolean;
  readonly change: 'same' | 'removed' | 'added';
}

function Side({ side, at, isWhole, change }: SideProps): ReactNode {
  if (!side) {
    return (
      <td className={`none ${at}`} colSpan={2}>
        <span className="unseen">no such line</span>
      </td>
    );
  }
  const Mark = change === 'removed' ? 'del' : 'ins';
  return (
    <>
      <td className={`number ${at}`}>{side.line}</td>
      <td className={`text ${change} ${side.parts.length === 1 ? 'wholly' : ''}`}>
        <span className="sign">{change === 'removed' ? '−' : change === 'added' ? '+' : '\u00A0'}</span>
        {(isWhole ? side.parts : cutParts(side.parts)).map(({ text, isChanged }, index) =>
          isChanged ? <Mark key={index}>{readable(text)}</Mark> : readable(text),
        )}
      </td>
    </>
  );
}

function cutParts(parts: DiffSide['parts']): DiffSide['parts'] {
  let left = LONGEST;
  const kept: { text: string; isChanged: boolean }[] = [];
  for (const { text, isChanged } of parts) {
    if (text.length > left) return [...kept, { text: `${text.slice(0, left)}…`, isChanged }];
    kept.push({ text, isChanged });
    left -= text.length;
  }
  return kept;
}
