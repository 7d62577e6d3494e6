/**
 * The kind of a text output: Markdown, a diff, JSON or code, else plain text.
 *
 * @module
 */

/** The kind of a text. */
export type TextKind = 'markdown' | 'diff' | 'json' | 'code' | 'plain';

/**
 * Guesses the kind by the first lines. A text that is too long to render, or nests too deeply, is plain.
 *
 * @param name The name of the output, such as `notes.md`.
 */
export function kindOf(text: string, name = ''): TextKind {
  if (text.length > MOST_RENDERED) return 'plain';
  const start = text.slice(0, MOST_LOOKED_AT);
  if (/^(?:diff --git |--- [^\n]+\n\+\+\+ [^\n]+\n@@ )/u.test(start)) return 'diff';
  if (/^\s*[[{]/u.test(start) && isJson(text)) return 'json';
  const extension = /\.(\w{1,8})$/u.exec(name.slice(-40))?.[1]?.toLowerCase();
  if (extension === 'md' || extension === 'markdown') return rendered(text);
  if (extension !== undefined && CODE.has(extension)) return 'code';
  if (start.startsWith('#!')) return 'code';
  return start.split('\n').some((line) => isMarkdown(line)) ? rendered(text) : 'plain';
}

// --- internal ---

/** Longest text that is rendered, in characters. */
const MOST_RENDERED = 100_000;
/** Longest Markdown. Reading the worst text of that length takes a second. */
const MOST_MARKDOWN = 20_000;

const MOST_LOOKED_AT = 20_000;

const CODE = new Set([
  'ts',
  'tsx',
  'js',
  'mjs',
  'py',
  'go',
  'rs',
  'java',
  'c',
  'cpp',
  'sh',
  'sql',
  'css',
  'html',
  'yml',
  'yaml',
]);

/** True if a line has a mark that plain text hardly has: a heading, a fence, a list, a table, strong text or a link. */
function isMarkdown(line: string): boolean {
  const text = line.slice(0, 500);
  return (
    /^#{1,6} \S/u.test(text) ||
    /^(?:`{3}|~{3})/u.test(text) ||
    /^ {0,3}(?:[-*+]|\d{1,3}[.)]) {1,4}\S/u.test(text) ||
    /^\|.{1,490}\|\s{0,5}$/u.test(text) ||
    /\*\*[^*\s][^*]{0,200}\*\*/u.test(text) ||
    /\[[^\]\n]{1,100}\]\(https?:/u.test(text)
  );
}

/** Reading quotes in quotes takes quadratic time. */
function rendered(text: string): TextKind {
  const isDeep = text.split('\n').some((line) => /^(?:[ \t]?>){20}/u.test(line));
  return isDeep || text.length > MOST_MARKDOWN ? 'plain' : 'markdown';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
