/**
 * The severity of an item.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Severity } from '../../../../src/projections/inbox/inbox-item.ts';

/** A badge; nothing for normal severity. */
export function SeverityTag({ severity }: { readonly severity: Severity }): ReactNode {
  if (severity === 'normal') return null;
  return (
    <span className={`badge ${severity === 'urgent' ? 'bad' : 'warn'}`}>
      <span aria-hidden="true">{severity === 'urgent' ? '‼' : '!'}</span> {severity}
    </span>
  );
}
