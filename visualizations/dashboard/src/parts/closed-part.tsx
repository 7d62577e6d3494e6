/**
 * A part that is made when it is opened: what is in it may be large.
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
