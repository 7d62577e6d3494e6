/**
 * A table of any length. It shows the most important rows at first, and all of them on request.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { amount } from '../parts/words.ts';
import { cutTo } from './cut-to.ts';
import '../parts/parts.css';
import { SCROLLED } from '../parts/scrolled.ts';

/** A row. The first cell is its heading. */
export interface DataRow {
  readonly key: string;
  readonly cells: readonly ReactNode[];
  /** True to show it among the first rows. */
  readonly matters?: boolean | undefined;
}

interface DataTableProps {
  /** The name of the table, for screen readers. */
  readonly name: string;
  /** Column headings. A `#` at the start marks a column of numbers, which is aligned to the right. */
  readonly heads: readonly string[];
  readonly rows: readonly DataRow[];
  /** The text to show if there are no rows. */
  readonly none: string;
  /** The last row, for example totals. */
  readonly foot?: readonly ReactNode[] | undefined;
}

/** The table. If it is wider than the page, it scrolls by itself. */
export function DataTable({ name, heads, rows, none, foot }: DataTableProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  if (rows.length === 0) return <p className="quiet">{none}</p>;
  const shown = isWhole ? rows : cutTo(rows, MOST_ROWS);
  return (
    <>
      <div className="wide" {...SCROLLED}>
        <table>
          <caption className="unseen">{name}</caption>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col" className={classOf(head)}>
                  {head.replace(/^#/u, '')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key}>
                <Cells heads={heads} cells={row.cells} />
              </tr>
            ))}
          </tbody>
          {foot === undefined ? null : (
            <tfoot>
              <tr>
                <Cells heads={heads} cells={foot} />
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {rows.length > MOST_ROWS ? (
        <button type="button" className="more" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? `Show ${MOST_ROWS} rows` : `Show all ${amount(rows.length)} rows`}
          <span className="unseen"> of {name}</span>
        </button>
      ) : null}
    </>
  );
}

// --- internal ---

const MOST_ROWS = 50;

interface CellsProps {
  readonly heads: readonly string[];
  readonly cells: readonly ReactNode[];
}

function Cells({ heads, cells }: CellsProps): ReactNode {
  return heads.map((head, at) =>
    at === 0 ? (
      <th key={head} scope="row">
        {cells[at]}
      </th>
    ) : (
      <td key={head} className={classOf(head)}>
        {cells[at]}
      </td>
    ),
  );
}

function classOf(head: string): string | undefined {
  return head.startsWith('#') ? 'number' : undefined;
}
