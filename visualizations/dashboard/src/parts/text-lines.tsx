/**
 * Text as lines, such as code and diffs.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { counted } from './words.ts';

interface TextLinesProps {
  /** Text that is safe to read. */
  readonly text: string;
  readonly name: string;
  readonly className: string;
  /** The class of a line. */
  readonly classOf: (line: string) => string;
  /** The content of a line, whose index begins at 0. @default The line. */
  readonly children?: (line: string, at: number) => ReactNode;
}

/** The first lines of a text, and all of them on request. */
export function TextLines({ text, name, className, classOf, children }: TextLinesProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const lines = text.split('\n');
  return (
    <>
      <pre className={className}>
        {lines.slice(0, isWhole ? lines.length : MOST_LINES).map((line, at) => (
          <span key={at} className={classOf(line)}>
            {children ? children(line, at) : line}
            {'\n'}
          </span>
        ))}
      </pre>
      {lines.length > MOST_LINES ? (
        <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all (${counted(lines.length, 'line')})`}
          <span className="unseen"> of {name}</span>
        </button>
      ) : null}
    </>
  );
}

// --- internal ---

const MOST_LINES = 60;
