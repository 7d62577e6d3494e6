/**
 * How urgent something is.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Severity } from '../../../../src/projections/inbox/inbox-item.ts';

/** A word; nothing where it is not urgent. */
export function SeverityTag({ severity }: { readonly severity: Severity }): ReactNode {
  if (severity === 'normal') return null;
  return (
    <span className={`badge ${severity === 'urgent' ? 'bad' : 'warn'}`}>
      <span aria-hidden="true">{severity === 'urgent' ? '‼' : '!'}</span> {severity}
    </span>
  );
}
