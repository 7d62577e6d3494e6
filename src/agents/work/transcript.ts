/**
 * The transcript of a turn: all that an agent tells, as text of limited length.
 *
 * @module
 */
import type { AgentEvent, ToolEvent } from '../agent-event.ts';

/** A transcript that grows. */
export interface Transcript {
  take(event: AgentEvent): void;
  /** The text so far; empty if the agent has told nothing. Beyond a length, its middle is left out. */
  text(): string;
}

/** Creates an empty transcript. */
export function createTranscript(): Transcript {
  let head = '';
  let tail = '';
  let dropped = 0;
  let last: AgentEvent['type'] | undefined;

  function add(piece: string): void {
    const room = Math.max(0, HEAD - head.length);
    // Once the head is full, all goes to the tail, so that the order is kept.
    const first = tail === '' && dropped === 0 ? piece.slice(0, room) : '';
    head += first;
    tail += piece.slice(first.length);
    if (tail.length <= 2 * TAIL) return;
    dropped += tail.length - TAIL;
    tail = tail.slice(-TAIL);
  }

  return {
    take(event) {
      const words = wordsOf(event);
      if (words === undefined) return;
      // The pieces of an answer belong together.
      const isPiece = event.type === 'text' || event.type === 'thought';
      const begins = last !== event.type || !isPiece;
      const mark = begins && event.type === 'thought' ? '[thought] ' : '';
      add(`${begins && last !== undefined ? '\n' : ''}${mark}${words}`);
      last = event.type;
    },
    text() {
      const over = Math.max(0, tail.length - TAIL);
      const left = dropped + over;
      return left === 0 ? head + tail : `${head}\n… ${left} characters left out …\n${tail.slice(over)}`;
    },
  };
}

// --- internal ---

/** Characters that are kept at the start and at the end. */
const HEAD = 40_000;
const TAIL = 160_000;

/** Writes an event as text; `undefined` if it says nothing. */
function wordsOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'text':
    case 'thought':
      return event.text === '' ? undefined : event.text;
    case 'tool':
      return toolWords(event);
    case 'plan':
      return `[plan] ${event.steps.map(({ text, status }) => `${text} (${status})`).join('; ')}`;
    case 'permission':
      return `[${event.answered === 'allow' ? 'allowed' : 'not allowed'}] ${event.asked}`;
    case 'raw':
      return `[${event.because}] ${event.text}`;
    case 'usage':
      return undefined;
  }
}

function toolWords({ kind, title, status, diff }: ToolEvent): string {
  const line = `[${kind}, ${status}] ${title}`;
  if (!diff) return line;
  const { path, before, after } = diff;
  return [line, `    ${path}`, ...marked('-', before), ...marked('+', after)].join('\n');
}

/** Marks each line of one version of a file. A text without lines has none. */
function marked(mark: string, text: string): readonly string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/u, '')
        .split('\n')
        .map((line) => `    ${mark} ${line}`);
}
