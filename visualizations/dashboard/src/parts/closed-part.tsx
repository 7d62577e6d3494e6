/**
 * A collapsible part. Its content is rendered on opening, as it may be large.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';

interface ClosedPartProps {
  readonly summary: ReactNode;
  readonly className?: string;
  /** @default false */
  readonly startsOpen?: boolean;
  readonly children: () => ReactNode;
}

/** A `details` element. */
export function ClosedPart({ summary, className, startsOpen = false, children }: ClosedPartProps): ReactNode {
  const [isOpen, setIsOpen] = useState(startsOpen);
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
}
