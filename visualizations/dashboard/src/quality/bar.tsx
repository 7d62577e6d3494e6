/**
 * Bars beside numbers, which say the same to whoever does not see them.
 *
 * @module
 */
import type { ReactNode } from 'react';

/** A part of a bar. */
export interface BarPart {
  readonly look: 'plain' | 'good' | 'warn' | 'bad' | 'work' | 'appraisal' | 'rework';
  readonly value: number;
}

interface BarProps {
  /** One after the other. */
  readonly parts: readonly BarPart[];
  /** What the whole width is. */
  readonly of: number;
}

/** A bar, as long as its numbers are of the whole. */
export function Bar({ parts, of }: BarProps): ReactNode {
  return (
    <span className="share-bar" aria-hidden="true">
      {parts.map(({ look, value }) => (
        <span
          key={look}
          className={look}
          style={{ inlineSize: `${of > 0 ? Math.min(100, (100 * value) / of) : 0}%` }}
        />
      ))}
    </span>
  );
}
