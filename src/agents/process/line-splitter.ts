/**
 * Lines of a stream of bytes, of a bounded length.
 *
 * @module
 */

/** Receivers of lines. */
export interface LineReceiver {
  /** Takes a line without its end. Invalid UTF-8 is replaced. */
  line(text: string): void;
  /** Takes the start of a line that is too long, once it has ended, and its number of bytes. */
  tooLong(start: string, bytes: number): void;
}

/** A splitter of one stream. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Ends the stream. A last line without an end counts as a line. */
  end(): void;
}

/**
 * Creates a splitter. Lines are the same for any division of the stream into pieces. Empty lines are left out.
 *
 * @param most Most bytes of a line.
 */
export function createLineSplitter(most: number, receiver: LineReceiver): LineSplitter {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let kept = 0;
  let length = 0;

  function take(piece: Uint8Array): void {
    length += piece.length;
    const room = most - kept;
    if (room <= 0 || piece.length === 0) return;
    // A copy, as the owner of the chunk may use its memory again.
    const part = piece.slice(0, room);
    parts.push(part);
    kept += part.length;
  }

  function finish(): void {
    const bytes = Buffer.concat(parts);
    const whole = length;
    parts = [];
    kept = 0;
    length = 0;
    if (whole > most) {
      receiver.tooLong(decoder.decode(bytes.subarray(0, SHOWN)), whole);
      return;
    }
    const text = decoder.decode(bytes).trim();
    if (text !== '') receiver.line(text);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        take(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      take(chunk.subarray(start));
    },
    end() {
      if (length > 0) finish();
    },
  };
}

// --- internal ---

const LINE_FEED = 10;

/** Bytes of a line that is too long which are shown. */
const SHOWN = 200;
