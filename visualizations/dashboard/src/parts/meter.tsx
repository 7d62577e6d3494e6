/**
 * The usage of a limit.
 *
 * @module
 */
import type { ReactNode } from 'react';
import './parts.css';

interface MeterProps {
  readonly name: string;
  readonly used: number;
  /** The limit; `undefined` if there is none. */
  readonly max: number | undefined;
  /** Formats a number. */
  readonly text: (value: number) => string;
}

/** A bar with its numbers; only the number if there is no limit. */
export function Meter({ name, used, max, text }: MeterProps): ReactNode {
  const share = max === undefined ? 0 : max === 0 ? 1 : Math.min(1, used / max);
  return (
    <div className="meter">
      <span className="meter-name">{name}</span>
      <span>
        {text(used)}
        {max === undefined ? null : ` of ${text(max)}`}
        {max !== undefined && share >= 0.9 ? <strong> {share >= 1 ? 'used up' : 'nearly used up'}</strong> : null}
      </span>
      {max === undefined ? null : (
        <span className={`meter-bar ${share >= 0.9 ? 'warn' : ''}`} aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </div>
  );
}
