import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FOLDERS, LAYERS } from './layers.ts';
import { brokenLinks, leadsSomewhere } from './links.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const topics = readdirSync(join(root, 'docs/decisions')).map((file) => `docs/decisions/${file}`);

describe('documents', () => {
  it.each([
    ['README.md', 9500],
    ['ARCHITECTURE.md', 17_500],
    ['DECISIONS.md', 16_500],
    ['CONTRIBUTING.md', 8700],
  ])('%s takes a few minutes to read', (file, most) => {
    expect(Buffer.byteLength(read(file))).toBeLessThanOrEqual(most);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = read('ARCHITECTURE.md');

  it('has every folder of the code, and none that is gone', () => {
    const shown = foldersIn(blockOf(page, 'Folders'));
    expect(shown.filter((path) => !path.endsWith('/.')).toSorted()).toEqual(foldersOfCode());
  });

  it('has the folders of each layer in the order in which they import each other', () => {
    const shown = foldersIn(blockOf(page, 'Folders'));
    for (const [layer, order] of Object.entries(FOLDERS)) {
      const top = layer === 'visualizations' ? layer : `src/${layer}`;
      const inner = shown.flatMap((path) => (path.startsWith(`${top}/`) ? [path.slice(top.length + 1)] : []));
      const known = inner.filter((name) => order.includes(name));
      expect(known, layer).toEqual(order.length === 1 ? [] : order);
    }
  });

  it('has what each layer may import', () => {
    const rows = blockOf(page, 'Layers').flatMap((line) => {
      const [layer = '', imports = ''] = line.split(/ {2,}/u);
      return [[layer, imports.split(', ').toSorted()] as const];
    });
    const expected = Object.entries(LAYERS).map(([layer, imports]) => [layer, imports.toSorted()] as const);
    expect(Object.fromEntries(rows)).toEqual({ ...Object.fromEntries(expected), cli: ['everything'] });
  });

  it('draws the state machines as their files do', () => {
    const drawings = page
      .slice(page.indexOf('## Three state machines'), page.indexOf('## One decision'))
      .matchAll(/`(machines\/[^`]+\.ts)`[^]*?```text\n([^]*?)```/gu);
    const wrong = [...drawings].flatMap(([, file = '', drawing = '']) => {
      const comment = read(`src/${file}`)
        .split('\n')
        .map((line) => line.replace(/^ \* /u, ''));
      return drawing.split('\n').filter((line) => line !== '' && !comment.includes(line));
    });
    expect(wrong).toEqual([]);
  });

  it('names files and functions that exist in the way of a decision', () => {
    const stations = page.slice(page.indexOf('## One decision'), page.indexOf('## Stored runs'));
    const code = sourceFiles().map((file) => ({ file, text: read(file) }));
    const missing = [...stations.matchAll(/`([^`]+)`(?: \(((?:`\w+`(?:, )?)+)\))?/gu)].flatMap(
      ([, name = '', functions]) => {
        if (functions === undefined)
          return /^[\w/-]+\/[\w-]+$/u.test(name) && fileOf(code, name) === undefined ? name : [];
        const text = fileOf(code, name)?.text ?? '';
        const called = [...functions.matchAll(/`(\w+)`/gu)].map(([, one = '']) => one);
        return called.filter((one) => !text.includes(`function ${one}(`)).map((one) => `${name}: ${one}`);
      },
    );
    expect(missing).toEqual([]);
  });
});

describe('DECISIONS.md', () => {
  const page = read('DECISIONS.md');
  const all = ['DECISIONS.md', ...topics].map((file) => ({ file, entries: entriesOf(read(file)) }));

  it('leads to the page of every topic', () => {
    expect([...page.matchAll(/\]\((docs\/decisions\/[^)]+)\)/gu)].map(([, link = '']) => link).toSorted()).toEqual(
      topics.toSorted(),
    );
  });

  it('has at most 25 decisions', () => {
    expect(entriesOf(page).length).toBeLessThanOrEqual(25);
  });

  it('has a question, a choice, a why and a cost for each, as its topics have', () => {
    const wrong = all.flatMap(({ file, entries }) =>
      entries
        .filter(
          ({ body }) =>
            !/^\n- \*\*Question\.\*\* .+\n- \*\*Choice\.\*\* .+\n- \*\*Why\.\*\* .+\n- \*\*Cost\.\*\* /su.test(body),
        )
        .map(({ title }) => `${file}: ${title}`),
    );
    expect(wrong).toEqual([]);
  });

  it('says each in at most 90 words', () => {
    const long = entriesOf(page).filter(({ body }) => wordsOf(body) > 90);
    expect(long.map(({ title }) => title)).toEqual([]);
  });

  it('has no two entries on one question, nor have its topics', () => {
    const titles = all.flatMap(({ entries }) => entries.map(({ title }) => title));
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it('has the decisions that comments name', async () => {
    const named = sourceFiles().flatMap((file) =>
      [...read(file).matchAll(/\/\/ Why: (\S+)$/gmu)].map(([, link = '']) => ({ file, link })),
    );
    const found = await Promise.all(named.map(({ link }) => leadsSomewhere(root, 'DECISIONS.md', link)));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((_, index) => !found[index])).toEqual([]);
  });

  it('has topics whose links lead somewhere', async () => {
    expect((await Promise.all(topics.map((topic) => brokenLinks(root, topic)))).flat()).toEqual([]);
  });
});

// --- internal ---

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The lines of the first code block below a heading. */
function blockOf(page: string, heading: string): readonly string[] {
  const below = page.slice(page.indexOf(`\n## ${heading}\n`));
  return /```text\n([^]*?)\n```/u.exec(below)?.[1]?.split('\n') ?? [];
}

/** Paths of a tree in which each folder is indented by two spaces more than the folder that it is in. */
function foldersIn(lines: readonly string[]): readonly string[] {
  const path: string[] = [];
  return lines.map((line) => {
    const [, indent = '', name = ''] = /^( *)(\S+)/u.exec(line) ?? [];
    path.splice(indent.length / 2, Infinity, name.replace(/\/$/u, ''));
    return path.join('/');
  });
}

/** Programs that are built apart from the package: their own folders are not listed. */
const PROGRAMS = ['visualizations/dashboard', 'visualizations/inspect-v4'];
const INSTALLED = 'visualizations/node_modules';

function foldersOfCode(): readonly string[] {
  const folders = sourceFiles().flatMap((file) => {
    const parts = file.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  });
  return [...new Set([...folders, ...PROGRAMS])].toSorted();
}

function sourceFiles(): readonly string[] {
  return ['src', 'visualizations'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .map((file) => `${top}/${file}`)
      .filter((file) => file.endsWith('.ts') && ![...PROGRAMS, INSTALLED].some((one) => file.startsWith(`${one}/`))),
  );
}

/** The file whose path ends so; `undefined` if several do. */
function fileOf<F extends { readonly file: string }>(files: readonly F[], name: string): F | undefined {
  const found = files.filter(({ file }) => file.endsWith(`/${name}.ts`));
  return found.length === 1 ? found[0] : undefined;
}

/** Words of an entry without the names of its parts. */
function wordsOf(body: string): number {
  return body.replaceAll(/- \*\*\w+\.\*\*/gu, '').match(/\S+/gu)?.length ?? 0;
}

function entriesOf(page: string): readonly { readonly title: string; readonly body: string }[] {
  return page.split(/^(?=#{2,3} )/mu).flatMap((part) => {
    const [title = '', ...body] = part.split('\n');
    return /^- \*\*/mu.test(body.join('\n')) ? [{ title: title.replace(/^#+ /u, ''), body: body.join('\n') }] : [];
  });
}
