/**
 * Bars next to numbers. Screen readers skip them, as the numbers have the same information.
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
  /** The parts from left to right. */
  readonly parts: readonly BarPart[];
  /** The value of the full width. */
  readonly of: number;
}

/** A bar. Its parts have widths in proportion to their values. */
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
