/**
 * The prose of the code: first words of comments, lengths of sentences, and words that must not come back.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A comment names a thing or an action first. These words name a question. */
const OPENER = /^(?:What|Whether|How|Which|Who(?:m|ever)?|Where|When|Why(?!:)|From)\b/u;

/** Words for which the field has others. CONTRIBUTING.md has the list. */
const RETIRED_WORD = /\b(?:whoever|anew|heeds?|told again|tells? again|lest)\b/iu;

/** Names for which the field has others. */
const RETIRED_NAME =
  /\b(?:Ghost|[Kk]eepsakes|lifeline|[Uu]plink|Till|Stake|[Hh]eed|Lookout|Backstage|Doer|Reception|Rehearsal|Teller|Patron|belated|doomedBy|divert|harmless)\b/u;

/** Words in one sentence of a comment. The rule is 25. */
const MOST_WORDS = 30;

const FOLDERS = ['src', 'visualizations', 'test', 'examples', 'bench', 'scripts'];

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => file !== 'test/prose.test.ts'),
).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

interface Comment {
  readonly place: string;
  readonly text: string;
  /** True if the comment goes on from the line above. */
  readonly isContinued: boolean;
}

const comments = sources.flatMap(commentsOf);

describe('comments', () => {
  it('are found', () => {
    expect(comments.length).toBeGreaterThan(5000);
    const found = commentsOf({
      file: 'a.ts',
      text: '/** One. */\nf(); // Two\n// and three.\n/* Four. */ "http://five"',
    });
    expect(found.map(({ text, isContinued }) => [text, isContinued])).toEqual([
      ['One.', false],
      ['Two', false],
      ['and three.', true],
      ['Four.', false],
    ]);
  });

  it('open with a thing or an action', () => {
    const wrong = comments.filter((one) => !one.isContinued && openersOf(one.text).some((word) => OPENER.test(word)));
    expect(wrong.map(shown)).toEqual([]);
  });

  it('have the words of the field', () => {
    expect(comments.filter(({ text }) => RETIRED_WORD.test(text)).map(shown)).toEqual([]);
  });

  it(`have no sentence of more than ${MOST_WORDS} words`, () => {
    const wrong = comments.filter(({ text }) => sentencesOf(text).some((one) => one.split(/\s+/u).length > MOST_WORDS));
    expect(wrong.map(shown)).toEqual([]);
  });
});

describe('names', () => {
  it('are those of the field', () => {
    const wrong = sources
      .filter(({ file }) => !file.startsWith('test/'))
      .flatMap(({ file, text }) => {
        const found = RETIRED_NAME.exec(text);
        return found ? [`${file}: ${found[0]}`] : [];
      });
    expect(wrong).toEqual([]);
  });
});

// --- internal ---

function commentsOf({ file, text }: { readonly file: string; readonly text: string }): readonly Comment[] {
  let lineBefore = -1;
  return [...text.matchAll(/\/\*\*?([^]*?)\*\/|(?<=^|\s)\/\/(?!\/)([^\n]*)/gmu)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const [, block, rest = ''] = match;
    const isContinued = block === undefined && line === lineBefore + 1;
    if (block === undefined) lineBefore = line;
    return { place: `${file}:${line}`, text: (block ?? rest).replaceAll(/^\s*\* ?/gmu, '').trim(), isContinued };
  });
}

/** The first words of a comment, and of what it says of parameters and results. */
function openersOf(text: string): readonly string[] {
  const tags = [...text.matchAll(/@(?:param\s+\S+|returns|default)\s+(\w+)/gu)].map(([, word = '']) => word);
  return [/^\S*/u.exec(text)?.[0] ?? '', ...tags];
}

/** Sentences, and items of lists; drawings and programs are neither. */
function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll(/```[^]*?```/gu, '')
    .split(/(?<=[.:;!?])\s+|\n\s*\n|\n(?=\s*[-|@])/u)
    .filter((one) => !/[│─▶|]{2}/u.test(one));
}

function shown({ place, text }: Comment): string {
  return `${place} ${text.slice(0, 80)}`;
}
