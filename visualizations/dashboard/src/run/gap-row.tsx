/**
 * What stands in a table in place of rows that cannot be seen.
 *
 * @module
 */
import type { ReactNode } from 'react';

/** A row of some height; none where there is nothing to stand for. */
export function GapRow({ height, columns }: { readonly height: number; readonly columns: number }): ReactNode {
  if (height === 0) return null;
  return (
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height }}>
        {' '}
      </td>
    </tr>
  );
}
