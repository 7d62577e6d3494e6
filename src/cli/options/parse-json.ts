/**
 * JSON and other text that a user has written.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { errorInfo, PhasegateError, type ErrorCode } from '../../model/errors/phasegate-error.ts';

/** Decodes a file. @throws PhasegateError `FILE_UNREADABLE` if it is not UTF-8. */
export function utf8In(bytes: Buffer, file: string): string {
  if (isUtf8(bytes)) return bytes.toString();
  throw new PhasegateError('FILE_UNREADABLE', `Cannot read ${file} as it is not UTF-8`, { hint: 'Save it as UTF-8.' });
}

/** Parses JSON, which may begin with a byte order mark. @throws SyntaxError if it is no JSON. */
export function parseJson(text: string): unknown {
  return JSON.parse(withoutMark(text));
}

/** Parses JSON, as {@link parseJson} does. @throws PhasegateError with this code and hint. The reason of the parser follows the problem. */
export function jsonIn(text: string, code: ErrorCode, problem: string, hint: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new PhasegateError(code, `${problem}: ${errorInfo(cause).message}`, { hint, cause });
  }
}

/** Removes a byte order mark. Some editors begin a file with one, and it is no part of the text. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
