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
  const extension = extensionOf(name);
  if (extension === 'md' || extension === 'markdown') return rendered(text);
  if (extension !== undefined && CODE.has(extension)) return 'code';
  if (start.startsWith('#!')) return 'code';
  return start.split('\n').some((line) => isMarkdown(line)) ? rendered(text) : 'plain';
}

/**
 * Guesses the language of a code by the extension of its name, else by its first line, such as `#!/bin/sh`.
 *
 * @returns A language or a file extension; '' if it is unknown.
 */
export function languageOf(text: string, name = ''): string {
  const extension = extensionOf(name);
  if (extension !== undefined && CODE.has(extension)) return extension;
  const program = /^#![^\n]{0,100}\b(node|python|bash|sh)/u.exec(text.slice(0, 200))?.[1];
  return program === 'node' ? 'js' : (program ?? '');
}

/** Reads the language of a block of code in Markdown. @returns '' if it has none, or not the name of one. */
export function languageNamed(named: string | null | undefined): string {
  return /^[\w+#-]{1,20}$/u.exec(named ?? '')?.[0].toLowerCase() ?? '';
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
  'jsx',
  'h',
  'toml',
  'ini',
  'xml',
]);

function extensionOf(name: string): string | undefined {
  return /\.(\w{1,8})$/u.exec(name.slice(-40))?.[1]?.toLowerCase();
}

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
