/**
 * A placeholder for table rows that are scrolled out of view.
 *
 * @module
 */
import type { ReactNode } from 'react';

/** A row of a given height; none for height 0. */
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
