/**
 * A JSON value as a tree. Its parts are rendered when they are opened, as they may be large.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { ClosedPart } from './closed-part.tsx';
import { inOneLine, readable, startOf } from './untrusted-text.ts';
import { counted } from './words.ts';

interface JsonTreeProps {
  readonly value: unknown;
  /** The depth of the value. @default 0 */
  readonly depth?: number;
}

/** The entries of an object or a list, or a single value. The upper levels of a small tree are open. */
export function JsonTree({ value, depth = 0 }: JsonTreeProps): ReactNode {
  const entries = entriesOf(value);
  return entries === null || entries.length === 0 ? (
    <Leaf value={value} />
  ) : (
    <Entries entries={entries} depth={depth} />
  );
}

// --- internal ---

type Entry = readonly [name: string, value: unknown];

/** Entries that are shown at once, and deepest level that starts open. */
const MOST = 100;
const OPEN_LEVELS = 2;
const SMALL = 20;
const MOST_CHARACTERS = 2000;

function Entries({ entries, depth }: { readonly entries: readonly Entry[]; readonly depth: number }): ReactNode {
  const [most, setMost] = useState(MOST);
  return (
    <ul className="json-tree">
      {entries.slice(0, most).map(([name, value]) => (
        <li key={name}>
          <NamedEntry name={name} value={value} depth={depth} isOpen={depth < OPEN_LEVELS && entries.length <= SMALL} />
        </li>
      ))}
      {entries.length > most ? (
        <li>
          <button type="button" className="link" onClick={() => setMost(most + MOST)}>
            {counted(entries.length - most, 'more entry').replace('entrys', 'entries')}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

interface NamedEntryProps {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
  readonly isOpen: boolean;
}

function NamedEntry({ name, value, depth, isOpen }: NamedEntryProps): ReactNode {
  const entries = entriesOf(value);
  const key = <bdi className="key">{startOf(name, 120)}</bdi>;
  if (entries === null || entries.length === 0) {
    return (
      <>
        {key}: <Leaf value={value} />
      </>
    );
  }
  return (
    <ClosedPart
      startsOpen={isOpen}
      summary={
        <>
          {key} <span className="quiet">{sizeOf(value, entries.length)}</span>
        </>
      }
    >
      {() => <JsonTree value={value} depth={depth + 1} />}
    </ClosedPart>
  );
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value === 'string') return <StringLeaf text={value} />;
  return <code className="leaf">{inOneLine(JSON.stringify(value) ?? 'undefined')}</code>;
}

function StringLeaf({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = text.length > MOST_CHARACTERS && !isWhole;
  return (
    <>
      <span className="leaf text">“{readable(isCut ? text.slice(0, MOST_CHARACTERS) : text)}”</span>
      {isCut ? (
        <>
          {' '}
          <button type="button" className="link" onClick={() => setIsWhole(true)}>
            Show all
          </button>
        </>
      ) : null}
    </>
  );
}

function entriesOf(value: unknown): readonly Entry[] | null {
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? value.map((one: unknown, at) => [String(at), one]) : Object.entries(value);
}

function sizeOf(value: unknown, count: number): string {
  return Array.isArray(value) ? `list of ${count}` : counted(count, 'entry').replace('entrys', 'entries');
}
