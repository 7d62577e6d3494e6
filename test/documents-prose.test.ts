/**
 * The prose of the documents is plain: short sentences that begin with a thing or a verb, without retired words.
 *
 * Code blocks and tables are not prose. Inline code counts as one word, the text of a link is a quotation.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
);
const pages = ['README.md', 'ARCHITECTURE.md', 'DECISIONS.md', ...docs.map((file) => `docs/${file}`)];

/** The most words of a sentence. */
const LONGEST = 30;

/** Words that the project has replaced: `process` or `caller`, `again`, `handle`, `replay`, `next to` or `during`. */
const RETIRED = /\b(?:whoever|anew|heed(?:s|ed)?|tells? again|told again|beside)\b/iu;

/** Words that open questions. A statement begins with its subject, or with `If` and `When`. */
const OPENER = /^(?:What|Whatever|Whether|How|Which|Who|Whoever|Whom|Where)\b/u;

describe.each(pages)('%s', (page) => {
  const prose = paragraphsOf(readFileSync(join(repository, page), 'utf8'));
  const sentences = prose.flatMap((paragraph) => paragraph.split(/(?<=[.!?][)"_*]*)\s+/u));

  it(`has no sentence of more than ${LONGEST} words`, () => {
    expect(sentences.filter((sentence) => sentence.split(/\s+/u).length > LONGEST)).toEqual([]);
  });

  it('has no statement that begins with a question word', () => {
    // Headings and questions do not end with a full stop.
    expect(sentences.filter((sentence) => OPENER.test(sentence) && sentence.endsWith('.'))).toEqual([]);
  });

  it('has no retired word', () => {
    expect(prose.filter((paragraph) => RETIRED.test(paragraph))).toEqual([]);
  });
});

describe('paragraphsOf()', () => {
  it('leaves out code, tables and addresses', () => {
    const page = 'One `of\n  two` words.\n\n```ts\nconst heed = 1;\n```\n\n| heed |\n| ---- |\n\nThe [end](heed.md).\n';
    expect(paragraphsOf(page)).toEqual(['One `` words.', 'The "end".']);
  });

  it('separates headings and list items', () => {
    expect(paragraphsOf('# Title\n\n- One\n  item.\n- Two.\n\n3. Three.\n')).toEqual([
      'Title',
      'One item.',
      'Two.',
      'Three.',
    ]);
  });
});

// --- internal ---

/** Returns the paragraphs, headings and list items of a page, each on one line. */
function paragraphsOf(page: string): readonly string[] {
  return page
    .replaceAll(/^ *```[^]*?^ *```$/gmu, '\n')
    .replaceAll(/<!--[^]*?-->/gu, '')
    .replaceAll(/^ *\|.*$/gmu, '\n')
    .replaceAll(/`[^`]+`/gu, '``')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '"$1"')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/u)
    .map((paragraph) =>
      paragraph
        .trim()
        .replace(/^(?:[-*]|\d+\.|#+) +/u, '')
        .replaceAll(/\s+/gu, ' '),
    )
    .filter((paragraph) => paragraph !== '');
}
