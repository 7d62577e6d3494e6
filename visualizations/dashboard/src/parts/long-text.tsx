/**
 * Text of any length: its start, and all of it where it is wanted.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { readable } from './untrusted-text.ts';
import { sizeText } from './words.ts';
import './parts.css';

interface LongTextProps {
  readonly text: string;
  /** What it is, for whoever cannot see where it stands. */
  readonly name: string;
}

/** Wrapped, with its line ends. */
export function LongText({ text, name }: LongTextProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const start = startIn(text);
  const isCut = start < text.length;
  if (text === '') return <p className="quiet">Empty text.</p>;
  return (
    <div className="long-text">
      {/* It scrolls where it is long, so the keyboard has to reach it. */}
      <pre
        className={isWhole ? 'whole' : ''}
        tabIndex={isWhole ? 0 : undefined}
        role={isWhole ? 'region' : undefined}
        aria-label={isWhole ? name : undefined}
      >
        {isWhole ? (
          blocksOf(text).map((block) => (
            <span key={block.at} className="block">
              {readable(block.text)}
            </span>
          ))
        ) : (
          <span>
            {readable(text.slice(0, start))}
            {isCut ? '…' : ''}
          </span>
        )}
      </pre>
      {isCut ? (
        <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all (${sizeText(text.length)})`}
          <span className="unseen"> of {name}</span>
        </button>
      ) : null}
    </div>
  );
}

// --- internal ---

const MOST_LINES = 24;
const MOST_CHARACTERS = 3000;
/** What is little more than that is not worth a button. */
const LEEWAY = 1.2;
/** Characters of one block: those that are not seen are not laid out. */
const BLOCK = 20_000;

/** Where to cut; the length of the text where not to. */
function startIn(text: string): number {
  const most = Math.min(text.length, MOST_CHARACTERS);
  let end = -1;
  for (let lines = 0; lines < MOST_LINES; lines += 1) {
    const next = text.indexOf('\n', end + 1);
    if (next === -1 || next >= most) return text.length <= MOST_CHARACTERS * LEEWAY ? text.length : most;
    end = next;
  }
  return text.length <= end * LEEWAY ? text.length : end;
}

interface Block {
  readonly at: number;
  readonly text: string;
}

/** The text in pieces that end where a line does, where there is one. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < text.length;) {
    const lineEnd = text.lastIndexOf('\n', at + BLOCK);
    const isRest = at + BLOCK >= text.length;
    const end = isRest ? text.length : lineEnd > at ? lineEnd : at + BLOCK;
    blocks.push({ at, text: text.slice(at, end) });
    // Blocks stand below each other, so the line end between them is not said again.
    at = !isRest && lineEnd > at ? end + 1 : end;
  }
  return blocks;
}
