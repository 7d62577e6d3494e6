/**
 * Text of any length: its start, and all of it on request.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { readable } from './untrusted-text.ts';
import { sizeText } from './words.ts';
import './parts.css';

interface LongTextProps {
  readonly text: string;
  /** The name of the text, for screen readers. */
  readonly name: string;
}

/** The text, wrapped, with its line breaks. */
export function LongText({ text, name }: LongTextProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const start = startIn(text);
  const isCut = start < text.length;
  if (text === '') return <p className="quiet">Empty text.</p>;
  return (
    <div className="long-text">
      {/* A long text scrolls, so the keyboard must be able to focus it. */}
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
/** A text that is only slightly longer is shown in full. */
const LEEWAY = 1.2;
/** Characters of one block. The browser lays out only visible blocks. */
const BLOCK = 20_000;

/** Finds the index to cut at; the length of the text if it is short. */
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

/** Splits a text into blocks, at line breaks if possible. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < text.length;) {
    const lineEnd = text.lastIndexOf('\n', at + BLOCK);
    const isRest = at + BLOCK >= text.length;
    const end = isRest ? text.length : lineEnd > at ? lineEnd : at + BLOCK;
    blocks.push({ at, text: text.slice(at, end) });
    // Blocks are separate lines anyway, so the line break between them is dropped.
    at = !isRest && lineEnd > at ? end + 1 : end;
  }
  return blocks;
}
