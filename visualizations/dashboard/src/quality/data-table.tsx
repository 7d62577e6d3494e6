/**
 * A table of any length: at first those rows that say most, in their order, and all of them where they are wanted.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { amount } from '../parts/words.ts';
import { cutTo } from './cut-to.ts';
import '../parts/parts.css';

/** A row. The first cell names it. */
export interface DataRow {
  readonly key: string;
  readonly cells: readonly ReactNode[];
  /** Whether it is shown where not all are. */
  readonly matters?: boolean | undefined;
}

interface DataTableProps {
  /** What the table is, for whoever cannot see its heading. */
  readonly name: string;
  /** Heads; of numbers where they begin with `#`, which stand at the right. */
  readonly heads: readonly string[];
  readonly rows: readonly DataRow[];
  /** Instead of a table without rows. */
  readonly none: string;
  /** A last row, such as sums. */
  readonly foot?: readonly ReactNode[] | undefined;
}

/** A table that can be wider than the page, and then scrolls by itself. */
export function DataTable({ name, heads, rows, none, foot }: DataTableProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  if (rows.length === 0) return <p className="quiet">{none}</p>;
  const shown = isWhole ? rows : cutTo(rows, MOST_ROWS);
  return (
    <>
      <div className="wide">
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
