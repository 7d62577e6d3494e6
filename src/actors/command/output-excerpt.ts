/**
 * Excerpts of long output.
 *
 * @module
 */

/** The start and the end of a stream of bytes. */
export interface Excerpt {
  add(chunk: Uint8Array): void;
  /** The excerpt so far, as text. If bytes are omitted in the middle, it states their number. */
  text(): string;
  /** Number of omitted bytes. */
  readonly omitted: number;
}

/** Creates an excerpt of at most `max` bytes: the first half of them and the last. */
export function createExcerpt(max: number): Excerpt {
  const half = Math.max(1, Math.floor(max / 2));
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  let headSize = 0;
  let tailSize = 0;
  let total = 0;

  function add(chunk: Uint8Array): void {
    total += chunk.length;
    const first = chunk.subarray(0, half - headSize);
    if (first.length > 0) head.push(first.slice());
    headSize += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    tail.push(rest.slice(-half));
    tailSize += Math.min(rest.length, half);
    for (let oldest = tail[0]; oldest && tailSize - oldest.length >= half; oldest = tail[0]) {
      tail.shift();
      tailSize -= oldest.length;
    }
  }

  function parts(): { readonly start: Buffer; readonly end: Buffer } {
    const start = Buffer.concat(head);
    const end = Buffer.concat(tail).subarray(-half);
    if (start.length + end.length >= total) return { start: Buffer.concat([start, end]), end: Buffer.alloc(0) };
    return { start: withoutHalfEnd(start), end: withoutHalfStart(end) };
  }

  return {
    add,
    text() {
      const { start, end } = parts();
      const omitted = total - start.length - end.length;
      const text = start.toString('utf8');
      return omitted === 0 ? text : `${text}\n[… ${omitted} bytes left out …]\n${end.toString('utf8')}`;
    },
    get omitted() {
      const { start, end } = parts();
      return total - start.length - end.length;
    },
  };
}

/** The last lines of a text, for messages. */
export function lastLines(text: string, lines: number, characters: number): string {
  const trimmed = text.trimEnd();
  const last = trimmed
    .split('\n')
    .slice(-lines)
    .join('\n')
    .slice(-characters)
    .replace(/^[\uDC00-\uDFFF]/u, '');
  return last.length < trimmed.length ? `[…]${last.startsWith('\n') ? '' : '\n'}${last}` : last;
}

// --- internal ---

/** Bytes without an incomplete character at their end. */
function withoutHalfEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

function withoutHalfStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start += 1;
  return bytes.subarray(start);
}

/** True if a byte continues a UTF-8 character. */
function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
