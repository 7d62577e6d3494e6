/**
 * A worker that finds the tokens of code. Hostile text can keep it busy for long, so the page ends it then.
 *
 * @module
 */
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { linesOf } from './code-lines.ts';
import type { HighlightMessage, HighlightRequest } from './code-token.ts';

const languages = createLowlight({
  bash,
  cpp,
  diff,
  go,
  ini,
  java,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
// These grammars read what others would add kilobytes for.
languages.registerAlias({ cpp: 'c', typescript: ['cjs', 'javascript', 'js', 'jsx', 'mjs'] });

addEventListener('message', ({ data: { text, language } }: MessageEvent<HighlightRequest>) => {
  const isKnown = languages.registered(language);
  send({ lines: isKnown ? linesOf(languages.highlight(language, text).children) : null });
});
send('ready');

function send(message: HighlightMessage): void {
  postMessage(message);
}
