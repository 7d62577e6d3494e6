import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { releaseNotes } from '../../examples/release-notes/pipeline.ts';
import { coversEveryCommitOnce, hasNoEmptySection, inventsNoHash } from '../../examples/release-notes/gates.ts';
import { signalsAskedFor } from '../../examples/release-notes/grouping.ts';
import { escapeMarkdown, wrap } from '../../examples/release-notes/markdown.ts';
import type { Settings } from '../../examples/release-notes/settings.ts';
import { startRun } from '../../src/index.ts';
import { lineOf } from '../line.ts';
import { emptyDirectory, gitIn, removeAll, repository, type CommitSpec } from './repository.ts';

const pipeline = releaseNotes();

afterAll(removeAll);
afterEach(() => vi.unstubAllEnvs());

/** Runs the pipeline on a repository. */
async function run(repo: string, settings: Partial<Settings> = {}) {
  const out = join(emptyDirectory(), 'some', 'place', 'NOTES.md');
  const started = startRun(pipeline, { input: { repo, out, ...settings } });
  const lines: string[] = [];
  const remarks: string[] = [];
  started.events$.subscribe(({ event }) => {
    const line = lineOf(event);
    if (line !== undefined) lines.push(line);
    if (event.type === 'task.reported') remarks.push(String(event.progress));
  });
  const result = await started.result;
  return { result, lines, remarks, notes: existsSync(out) ? readFileSync(out, 'utf8') : null, out };
}

/** Returns the reason that the run did not complete. */
async function refusal(repo: string, settings: Partial<Settings> = {}): Promise<string> {
  const { result, notes } = await run(repo, settings);
  expect(notes).toBeNull();
  const { error, reason } = result.phases['collect'] ?? {};
  const text = result.error?.message ?? error?.message ?? reason ?? '';
  return `${result.status}: ${text.replaceAll(repo, '<repo>')}`;
}

/** Returns the headings of notes, each with its entries without hashes. */
function sectionsOf(notes: string | null): Readonly<Record<string, readonly string[]>> {
  const sections = (notes ?? '').split(/^## /mu).slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const [heading = '', ...items] = section.trim().split(/\n+(?:- )?/u);
      return [heading, items.map((item) => item.replace(/ \([0-9a-f]+\)$/u, ''))];
    }),
  );
}

/** Returns the hashes of a range, newest first, by git. */
function hashesOf(repo: string, ...range: readonly string[]): readonly string[] {
  return gitIn(repo, ['rev-list', '--no-merges', ...range])
    .trim()
    .split('\n');
}

/** Returns the hashes in notes, as they are written. */
function listedIn(notes: string | null): readonly string[] {
  return [...(notes ?? '').matchAll(/[( ]([0-9a-f]{8,64})\)$/gmu)].map((match) => match[1] ?? '');
}

function longestLineOf(notes: string | null): number {
  return Math.max(...(notes ?? '').split('\n').map((line) => Array.from(line).length));
}

/** Signs the commit at HEAD and adds another. Configures a program that accepts every signature. */
function signHead(repo: string): void {
  const program = join(repo, '.git', 'verify');
  writeFileSync(program, '#!/bin/sh\necho "gpg: a good signature" >&2\necho "[GNUPG:] GOODSIG 0 Ada"\n');
  chmodSync(program, 0o755);
  gitIn(repo, ['config', 'gpg.program', program]);
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n';
  const signed = gitIn(repo, ['cat-file', 'commit', 'HEAD']).replace('\n\n', `\n${signature}`);
  const hash = gitIn(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], signed).trim();
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const next = gitIn(repo, [...identity, 'commit-tree', 'HEAD^{tree}', '-p', hash, '-m', 'Add more']).trim();
  gitIn(repo, ['update-ref', 'HEAD', next]);
}

describe('the strategies of a draft', () => {
  it('change twice for plain subjects: to verbs, then to paths', async () => {
    //  collect ──▶ group ──▶ draft ──▶ publish
    //                ▲─────────┘ twice
    const repo = repository([
      { message: 'Set up the package', paths: ['package.json', 'tsconfig.json'] },
      'Add the parser',
      { message: 'Words for the manual', paths: ['docs/manual.md'] },
      'net/http: fix a crash on empty input',
      { message: 'More cases', paths: ['test/parser.test.ts', 'src/parser.spec.ts'] },
      { message: 'Numbers are kept as text', paths: ['src/parser.ts', 'docs/manual.md', 'docs/numbers.md'] },
    ]);
    const { lines, notes } = await run(repo);
    expect(lines).toMatchInlineSnapshot(`
      [
        "collect started 0",
        "collect approved v1",
        "group started 0",
        "group approved v1 (unreviewed) from collect.commits@1",
        "draft started 0",
        "draft rewinding group: 6 of 6 commits are in "Other", more than 20 %. 6 of them have no type prefix but begin with a word: | - 88567827 Numbers are kept as text | - ccfeec21 More cases | - 096a74dc net/http: fix a crash on empty input | - 53ba43a3 Words for the manual | - 9717257f Add the parser | - and 1 more",
        "group started 1 g1: 6 of 6 commits are in "Other", more than 20 %. 6 of them have no type prefix but begin with a word: | - 88567827 Numbers are kept as text | - ccfeec21 More cases | - 096a74dc net/http: fix a crash on empty input | - 53ba43a3 Words for the manual | - 9717257f Add the parser | - and 1 more",
        "group approved v2 (unreviewed) from collect.commits@1",
        "draft started 0",
        "draft rewinding group: 4 of 6 commits are in "Other", more than 20 %. 4 of them touch files that may tell what they are: | - 88567827 Numbers are kept as text | - ccfeec21 More cases | - 53ba43a3 Words for the manual | - 5fc399a1 Set up the package",
        "group started 2 g2: 4 of 6 commits are in "Other", more than 20 %. 4 of them touch files that may tell what they are: | - 88567827 Numbers are kept as text | - ccfeec21 More cases | - 53ba43a3 Words for the manual | - 5fc399a1 Set up the package",
        "group approved v3 (unreviewed) from collect.commits@1",
        "draft started 0",
        "draft approved v1 from group@3 collect@1",
        "publish started 0",
        "publish approved v1 from draft@1",
        "run completed",
      ]
    `);
    expect(notes).toMatchInlineSnapshot(`
      "# Release notes

      Everything from the beginning: 6 commits.

      ## Features

      - Add the parser (9717257f)

      ## Fixes

      - net/http: fix a crash on empty input (096a74dc)

      ## Changes

      - Numbers are kept as text (88567827)

      ## Documentation

      - Words for the manual (53ba43a3)

      ## Tests

      - More cases (ccfeec21)

      ## Build and tooling

      - Set up the package (5fc399a1)
      "
    `);
  });

  it('do not change if the history has conventional commits', async () => {
    const repo = repository([
      'feat: read YAML',
      'fix(cli): exit with 2 on a bad flag',
      'feat(api)!: return a promise',
      'chore: release\n\nMore words.',
      'perf: read in one pass\n\nIt was two.\n\nBREAKING CHANGE: the callback is\ncalled once\nReviewed-by: Ada',
      'docs: say so',
      'Merge nothing, an odd one out',
    ]);
    const { lines, notes } = await run(repo);
    expect(lines).toMatchInlineSnapshot(`
      [
        "collect started 0",
        "collect approved v1",
        "group started 0",
        "group approved v1 (unreviewed) from collect.commits@1",
        "draft started 0",
        "draft approved v1 from group@1 collect@1",
        "publish started 0",
        "publish approved v1 from draft@1",
        "run completed",
      ]
    `);
    expect(notes).toMatchInlineSnapshot(`
      "# Release notes

      Everything from the beginning: 7 commits.

      ## Breaking changes

      - read in one pass — the callback is called once (7fbc0843)
      - api: return a promise (6529dff7)

      ## Features

      - read YAML (acfbd0d4)

      ## Fixes

      - cli: exit with 2 on a bad flag (8c518c3a)

      ## Documentation

      - say so (57a81cd4)

      ## Build and tooling

      - release (b5869052)

      ## Other

      - Merge nothing, an odd one out (82302f7a)
      "
    `);
  });

  it('follow the commits, not the order of a list', async () => {
    const repo = repository([
      { message: '#12', paths: ['docs/a.md'] },
      { message: '2024-01-01', paths: ['test/a.ts'] },
      { message: '', paths: ['.github/workflows/ci.yml'] },
    ]);
    const { result, notes } = await run(repo);
    expect(result.phases['group']?.outputs).toMatchObject({ grouping: { signals: ['prefix', 'paths'] } });
    expect(result.metrics.corrections).toBe(1);
    expect(sectionsOf(notes)).toEqual({
      Documentation: ['#12'],
      Tests: ['2024-01-01'],
      'Build and tooling': ['(no subject)'],
    });
  });

  it('stop at one rewind if verbs suffice', async () => {
    const repo = repository(['Add a', 'Fixed b', 'Dropping c', '[cli] Handle d', '🎉 Documenting e', 'Thoughts on f']);
    const { result, notes } = await run(repo);
    expect(result.phases['group']?.outputs).toMatchObject({ grouping: { signals: ['prefix', 'verb'] } });
    expect(result.phases['draft']?.because).toBe('approved');
    expect(sectionsOf(notes)).toEqual({
      Features: ['Add a'],
      Fixes: [String.raw`\[cli\] Handle d`, 'Fixed b'],
      Changes: ['Dropping c'],
      Documentation: ['🎉 Documenting e'],
      Other: ['Thoughts on f'],
    });
  });

  it('accept a draft that cannot be improved, with a remark', async () => {
    const repo = repository([
      { message: '1', paths: [] },
      { message: '2', paths: [] },
    ]);
    const { lines, notes, remarks } = await run(repo);
    expect(lines.filter((line) => line.startsWith('draft'))).toEqual([
      'draft started 0',
      'draft approved v1 from group@1 collect@1',
    ]);
    expect(remarks[0]).toBe('2 of 2 commits are in "Other", and nothing is left that could tell what they are');
    expect(sectionsOf(notes)).toEqual({ Other: ['2', '1'] });
  });

  it('accept the configured share of "Other"', async () => {
    const repo = repository(['Thoughts', 'Words']);
    expect((await run(repo, { maxOther: 1 })).result.metrics.corrections).toBe(0);
    expect((await run(repo, { maxOther: 0.5 })).result.metrics.corrections).toBe(2);
  });

  it('wrap lines once they are too long, and split words that no line holds', async () => {
    const repo = repository([
      `feat: ${'many words '.repeat(8)}`,
      `fix: see https://example.org/${'long/'.repeat(12)} for ${'漢字'.repeat(30)}`,
      'docs: short',
    ]);
    const { lines, notes } = await run(repo, { width: 50 });
    expect(lines.filter((line) => line.startsWith('draft'))).toMatchInlineSnapshot(`
      [
        "draft started 0",
        "draft retrying: Check "line length" failed: 2 of 16 lines are longer than 50 characters: line 7 (100 characters), line 11 (162 characters).",
        "draft started 1: Check "line length" failed: 2 of 16 lines are longer than 50 characters: line 7 (100 characters), line 11 (162 characters).",
        "draft retrying: Check "line length" failed: 2 of 22 lines are longer than 50 characters: line 14 (82 characters), line 16 (62 characters).",
        "draft started 2: Check "line length" failed: 2 of 22 lines are longer than 50 characters: line 14 (82 characters), line 16 (62 characters).",
        "draft approved v1 from group@1 collect@1",
      ]
    `);
    expect(notes).toMatchInlineSnapshot(`
      "# Release notes

      Everything from the beginning: 3 commits.

      ## Features

      - many words many words many words many words many
        words many words many words many words
        (63ff4564)

      ## Fixes

      - see
        https://example.org/long/long/long/long/long/lo…
        for
        漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢…
        (4371c8c4)

      ## Documentation

      - short (5cac1019)
      "
    `);
    expect((await run(repo, { width: 200 })).result.metrics.corrections).toBe(0);
    expect((await run(repository([`feat: ${'🎉'.repeat(80)}`]))).result.metrics.corrections).toBe(0);
  });

  it('apply the line length again after each new grouping', async () => {
    const repo = repository([`Words ${'words '.repeat(30)}`, 'Fix it', 'Words']);
    const { lines, notes } = await run(repo);
    expect(lines.flatMap((line) => /^draft (?:retrying|rewinding|approved)/u.exec(line) ?? [])).toEqual([
      'draft retrying',
      'draft rewinding',
      'draft retrying',
      'draft rewinding',
      'draft retrying',
      'draft approved',
    ]);
    expect(longestLineOf(notes)).toBeLessThanOrEqual(100);
  });
});

describe('the range', () => {
  it('begins after the latest tag below HEAD, ignoring tags at HEAD and on other branches', async () => {
    //  0 v1 ── 1 v2 ── 2 ── 4 (HEAD, v3)
    //            └──── 3 side
    const repo = repository([
      { message: 'Add zero', tags: ['v1'] },
      { message: 'Add one', tags: ['v2'] },
      'Add two',
      { message: 'Add three', parents: [1], tags: ['side'] },
      { message: 'Add four', parents: [2], tags: ['v3'] },
    ]);
    const { notes } = await run(repo);
    expect(notes).toMatch(/^# Release notes\n\nEverything since v2: 2 commits\.\n/u);
    expect(sectionsOf(notes)).toEqual({ Features: ['Add four', 'Add two'] });
  });

  it('begins at the given tag or commit', async () => {
    const repo = repository([{ message: 'Add a', tags: ['v1'] }, { message: 'Add b', tags: ['v2'] }, 'Add c']);
    expect(sectionsOf((await run(repo, { since: 'v1' })).notes)).toEqual({ Features: ['Add c', 'Add b'] });
    expect(sectionsOf((await run(repo, { since: 'HEAD~1' })).notes)).toEqual({ Features: ['Add c'] });
  });

  it('lists the commits of a merge, and not the merge', async () => {
    const repo = repository([
      'Add a',
      { message: 'Add b', parents: [0] },
      { message: 'Add c', parents: [0] },
      { message: 'Merge branch c', parents: [1, 2], paths: [] },
    ]);
    const { notes } = await run(repo);
    expect(notes).toContain('Everything from the beginning: 3 commits. Of 1 merge only what it merges is listed.');
    expect(sectionsOf(notes)).toEqual({ Features: ['Add c', 'Add b', 'Add a'] });
  });

  it('works from a directory within the repository, and for a bare one', async () => {
    const repo = repository(['Add a']);
    mkdirSync(join(repo, 'deep'));
    expect((await run(join(repo, 'deep'))).notes).toBe((await run(join(repo, '.git'))).notes);
  });

  it('does not depend on the configuration of git, or on the folder', async () => {
    const repo = repository(['Add ünïcode', { message: 'Fix it', paths: ['docs/a b.md', 'docs/ü"\n.md'] }]);
    signHead(repo);
    const plain = await run(repo);
    const settings = {
      'color.ui': 'always',
      'core.abbrev': '40',
      'core.quotePath': 'true',
      'diff.relative': 'true',
      'diff.renames': 'copies',
      'i18n.logOutputEncoding': 'ISO-8859-1',
      'log.abbrevCommit': 'true',
      'log.decorate': 'full',
      'log.showSignature': 'true',
      'log.follow': 'true',
      'log.diffMerges': 'combined',
      'format.pretty': 'fuller',
    };
    for (const [name, value] of Object.entries(settings)) gitIn(repo, ['config', name, value]);
    mkdirSync(join(repo, 'src'));
    vi.stubEnv('GIT_DIR', emptyDirectory());
    const { notes, result } = await run(join(repo, 'src'));
    expect(notes).toBe(plain.notes);
    expect(result.outputs.collect).toEqual(plain.result.outputs.collect);
    expect(result.outputs.collect?.commits.map(({ paths }) => paths)).toEqual([
      [],
      ['docs/a b.md', 'docs/ü"\n.md'],
      ['src/file-0.ts'],
    ]);
  });
});

describe('unusual history', () => {
  it('is shown as typed, and nothing of it is markup', async () => {
    const repo = repository([
      'Add <script>alert(1)</script> & &lt;b&gt;',
      'Add *stars*, _lines_, snake_case, `code`, [links](javascript:x) and ![pictures](y)',
      '# Add a heading',
      '- Add a list',
      '1. Add a number',
      '--- Add a rule',
      'Add \\ and | and ~~~ and > and 2) and =',
      'Add \u001B[31mcolour\u001B[0m and \u202Eeno rehtona',
      'Add 日本語, العربية and 👩‍👩‍👧‍👦',
      'Add a first line\nthat goes on\n\nand a body (deadbeef)',
      'Revert "Add deadbeef" (cafebabe)',
      { message: '', paths: [] },
    ]);
    const { notes, result } = await run(repo);
    expect(notes).toMatchInlineSnapshot(`
      "# Release notes

      Everything from the beginning: 12 commits.

      ## Features

      - Add a first line that goes on (a0ad782b)
      - Add 日本語, العربية and 👩‍👩‍👧‍👦 (1a2e7ee5)
      - Add \\[31mcolour \\[0m and eno rehtona (c24faee3)
      - Add \\\\ and \\| and \\~\\~\\~ and \\> and 2\\) and \\= (0ea87678)
      - \\--- Add a rule (69459488)
      - \\- Add a list (31acaaa5)
      - \\# Add a heading (d464d283)
      - Add \\*stars\\*, \\_lines\\_, snake_case, \\\`code\\\`, \\[links\\](javascript:x) and !\\[pictures\\](y)
        (9c4ceef7)
      - Add \\<script\\>alert(1)\\</script\\> & \\&lt;b\\&gt; (ee384395)

      ## Reverts

      - Revert "Add deadbeef" (cafebabe) (a25018ed)

      ## Other

      - (no subject) (62b70e91)
      - 1\\. Add a number (e99e5e54)
      "
    `);
    expect(result.phases['draft']?.because).toBe('approved');
  });

  it('keeps its meaning at the start of a wrapped line', () => {
    const risky = ['#', '##', '-', '--', '---', '+', '1.', '2)', '=', '===', '>', '*', '```', '~~~', '<b>'];
    const text = escapeMarkdown(risky.join(' text '));
    const starts = new Set<string>();
    for (let width = 3; width < 60; width++) {
      const [first = '', ...rest] = wrap(text, width, '- ').split('\n');
      expect(first).toMatch(/^- \S/u);
      for (const line of rest) starts.add(/^ {2}(\S+)/u.exec(line)?.[1] ?? line);
    }
    expect([...starts].filter((word) => word !== 'text')).toHaveLength(risky.length - 1);
    for (const word of starts) expect(word).toMatch(/^(?:\\|\d+\\|text)/u);
  });

  it('may have thousands of commits, and a body of a megabyte', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ message: `Add part ${index}`, paths: ['src/a.ts'] }));
    const repo = repository([
      `Fix it\n\n${'word '.repeat(200_000)}\n\nBREAKING CHANGE: ${'all '.repeat(1000)}`,
      ...many,
    ]);
    const { result, notes } = await run(repo);
    expect(result.status).toBe('completed');
    expect(notes).toContain('Everything from the beginning: 5001 commits.');
    expect(new Set(listedIn(notes)).size).toBe(5001);
    expect(sectionsOf(notes)['Breaking changes']?.join(' ')).toMatch(/^Fix it — (?:all ){4}/u);
  });
});

describe('refusals', () => {
  it('name a missing repository', async () => {
    vi.stubEnv('GIT_CEILING_DIRECTORIES', tmpdir());
    expect(await refusal(emptyDirectory())).toMatchInlineSnapshot(`
      "failed: Cannot read the history of "<repo>" as git says: not a git repository (or any of the parent directories): .git
      Pass a directory in a git repository as \`repo\`."
    `);
    expect(await refusal('/no/such/place')).toMatchInlineSnapshot(`
      "failed: Cannot read the history of "<repo>" as there is no such directory
      Pass a directory in a git repository as \`repo\`."
    `);
  });

  it('name a missing git', async () => {
    vi.stubEnv('PATH', emptyDirectory());
    expect(await refusal(emptyDirectory())).toMatchInlineSnapshot(`
      "failed: Cannot read the history as there is no program "git"
      Install git."
    `);
  });

  it('distinguish a history without commits, since the tag, and of merges only', async () => {
    const empty = emptyDirectory();
    gitIn(empty, ['init', '--quiet']);
    expect(await refusal(empty)).toMatchInlineSnapshot(`
      "failed: Cannot read the history of "<repo>" as it has no commits yet
      Commit something first."
    `);
    expect(await refusal(repository([{ message: 'Add a', tags: ['v1'] }]), { since: 'v1' })).toMatchInlineSnapshot(
      `"rejected: Cannot write release notes as there are no commits since "v1". Pass an earlier commit as \`since\`."`,
    );
    const merged = repository([
      { message: 'Add a', tags: ['v1'] },
      { message: 'Add b', parents: [0], tags: ['v2'] },
      { message: 'Merge', parents: [1, 0], paths: [] },
    ]);
    expect(await refusal(merged)).toMatchInlineSnapshot(
      `"rejected: Cannot write release notes as there are no commits but merges since "v2". Pass an earlier commit as \`since\`."`,
    );
  });

  it('list the tags instead of an unknown one', async () => {
    const tagged = repository([{ message: 'Add a', tags: ['v1', 'v2'] }]);
    expect(await refusal(tagged, { since: 'v9' })).toMatchInlineSnapshot(`
      "failed: Cannot read the history of "<repo>" as it has no commit named "v9"
      The latest tags are v2, v1. A clone may need "git fetch --tags"."
    `);
    expect(await refusal(repository(['Add a']), { since: 'v9' })).toMatchInlineSnapshot(`
      "failed: Cannot read the history of "<repo>" as it has no commit named "v9"
      The repository has no tags. A clone may need "git fetch --tags"."
    `);
  });

  it('name impossible settings', async () => {
    const repo = repository(['Add a']);
    expect(await refusal(repo, { since: '--output=x' })).toContain('since: The name of a commit does not begin with');
    const refused = await refusal(repo, { width: 3, maxOther: 2 });
    expect(refused).toMatch(/^failed: [^]*\n +width: .*\n +maxOther: /u);
  });

  it('include a shallow clone if its history ends within the range, and only then', async () => {
    const origin = repository(['Add a', { message: 'Add b', tags: ['v1'] }, 'Add c', 'Add d']);
    const clone = emptyDirectory();
    gitIn(clone, ['clone', '--quiet', '--depth=1', `file://${origin}`, '.']);
    expect(await refusal(clone)).toMatchInlineSnapshot(`
      "failed: Cannot collect the commits of "<repo>" as the clone is shallow and its history ends within the range
      Run "git fetch --unshallow --tags" there, or pass a later commit as \`since\`."
    `);
    gitIn(clone, ['fetch', '--quiet', '--deepen=2', '--tags']);
    expect(sectionsOf((await run(clone)).notes)).toEqual({ Features: ['Add d', 'Add c'] });
  });

  it('do not apply to a cancelled run, which stops git', async () => {
    const bin = emptyDirectory();
    const pid = join(bin, 'pid');
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho $$ > "${pid}.new" && mv "${pid}.new" "${pid}"\nexec sleep 600\n`);
    chmodSync(join(bin, 'git'), 0o755);
    vi.stubEnv('PATH', bin + delimiter + process.env['PATH']);
    const started = startRun(pipeline, { input: { repo: bin, out: join(bin, 'out.md') } });
    const number = await vi.waitUntil(() => existsSync(pid) && Number(readFileSync(pid, 'utf8')), { timeout: 60_000 });
    started.cancel('enough');
    expect(await started.result).toMatchObject({ status: 'cancelled', phases: { collect: { status: 'cancelled' } } });
    await vi.waitFor(() => expect(() => process.kill(number, 0)).toThrow('ESRCH'), { timeout: 60_000 });
  });
});

describe('the gates', () => {
  const commit = (hash: string, subject: string) => {
    return { hash, short: hash.slice(0, 8), subject, breaking: false, breakingNote: '', paths: [] };
  };
  const commits = [commit('aaaaaaaa1111', 'Add a'), commit('bbbbbbbb2222', 'Add b of 0123456789')];

  it('coversEveryCommitOnce() finds missing, duplicate and invented entries', () => {
    expect(coversEveryCommitOnce('- Add a (aaaaaaaa)\n- Add b\n  wrapped (bbbbbbbb)\n', commits)).toBe(true);
    expect(coversEveryCommitOnce('- Add a (aaaaaaaa)\n- Ada (aaaaaaaa1)\n- New (cccccccc)\n- No hash\n', commits))
      .toMatchInlineSnapshot(`
      "List the commits that are missing: bbbbbbbb Add b of 0123456789.
      List once what is listed more than once: aaaaaaaa Add a.
      Remove the entries of no commit: - New (cccccccc), - No hash."
    `);
  });

  it('inventsNoHash() knows hashes of the range and those that authors typed', () => {
    expect(inventsNoHash('- a (aaaaaaaa) since deadbee: 0123456789', commits, 'deadbee')).toBe(true);
    expect(inventsNoHash('- a (aaaaaaab), as after dddddddd', commits, null)).toMatchInlineSnapshot(
      `"Remove the hashes that are not in the range: aaaaaaab, dddddddd."`,
    );
  });

  it('hasNoEmptySection() names headings without entries', () => {
    expect(hasNoEmptySection('# Notes\n\n## One\n\n- a\n')).toBe(true);
    expect(hasNoEmptySection('# Notes\n\n## None\n\n## One\n\n- a\n\n## Last\n')).toMatchInlineSnapshot(
      `"Leave out the sections without entries: ## None, ## Last."`,
    );
  });

  it('signalsAskedFor() understands text of people, too', () => {
    expect(signalsAskedFor([])).toEqual(['prefix']);
    expect(signalsAskedFor(['please look at the paths'])).toEqual(['prefix', 'paths']);
    expect(signalsAskedFor(['Look at the files.', 'and the leading words'])).toEqual(['prefix', 'verb', 'paths']);
  });

  it('refuse a corrupted draft', async () => {
    // The gate of the real pipeline reviews a draft without the last commit.
    const repo = repository(['feat: a', 'feat: b']);
    const draft = pipeline.work.phases.get('draft');
    const runner = draft?.tasks.get('notes')?.runner;
    if (!draft || !runner) throw new Error('The pipeline has no draft');
    const lossy: typeof runner = { run: (context) => String(runner.run(context)).replace(/^- .*\n(?!- )/mu, '') };
    const tasks = new Map([['notes', { runner: lossy, output: undefined, retryable: undefined }]]);
    const phases = new Map([...pipeline.work.phases, ['draft', { ...draft, tasks }]]);
    const out = join(repo, 'x');
    const started = startRun({ ...pipeline, work: { ...pipeline.work, phases } }, { input: { repo, out } });
    const result = await started.result;
    expect(result).toMatchObject({ status: 'rejected', phases: { draft: { status: 'rejected', corrections: 2 } } });
    expect(existsSync(out)).toBe(false);
    expect(result.phases['draft']?.decisions[0]?.verdict).toMatchInlineSnapshot(`
      {
        "feedback": "Check "every commit once" failed: List the commits that are missing: 1b481ac9 feat: a.",
        "requiredChange": "List the commits that are missing: 1b481ac9 feat: a.",
        "type": "retry",
      }
    `);
  });
});

describe('any history', () => {
  const words = fc.constantFrom(
    'Add',
    'fix:',
    'feat!:',
    'docs(x):',
    'Words',
    '#',
    '-',
    '`',
    '<i>',
    '漢字',
    'deadbeef0',
    '',
  );
  const message = fc.array(words, { maxLength: 12 }).map((list) => list.join(' '));
  const paths = fc.subarray(['src/a.ts', 'docs/a.md', 'test/a.ts', 'package.json', 'a b\nc', 'ü']);
  const commit: fc.Arbitrary<CommitSpec & { readonly back: readonly number[]; readonly tagged: boolean }> = fc.record({
    message,
    paths,
    back: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }),
    tagged: fc.boolean(),
  });

  it('is covered, every commit exactly once, in lines that fit', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(commit, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 40, max: 120 }),
        async (specs, width) => {
          const commits = specs.map(({ back, tagged, ...spec }, index) => ({
            ...spec,
            parents: [...new Set(back.map((distance) => index - distance).filter((parent) => parent >= 0))],
            tags: tagged ? [`t${index}`] : [],
          }));
          const repo = repository(commits);
          const { result, notes } = await run(repo, { width });
          const since = result.outputs.collect?.range.since;
          if (result.status === 'rejected') {
            expect(result.phases['collect']?.reason).toContain('no commits but merges');
            return;
          }
          const listed = listedIn(notes);
          const range = since === null ? ['HEAD'] : [`${since}..HEAD`];
          expect(listed.map((short) => gitIn(repo, ['rev-parse', short]).trim()).toSorted()).toEqual(
            [...hashesOf(repo, ...range)].toSorted(),
          );
          expect(longestLineOf(notes)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('this repository', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const ask = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

  it('has notes after corrections, or reports an unreadable history', async () => {
    const { result, notes, out } = await run(root);
    if (result.status !== 'completed') {
      expect(result.phases['collect']?.error?.code).toMatch(/^(?:NOT_A_REPOSITORY|SHALLOW|GIT_MISSING|NO_HISTORY)$/u);
      return;
    }
    const since = result.outputs.collect?.range.since;
    const range = since === null ? 'HEAD' : `${since}..HEAD`;
    const subjects = ask('log', '--no-merges', '--format=%s', range).split('\n');
    const prefixed = subjects.filter((subject) => /^[a-z]+(?:\([^)]*\))?!?: /u.test(subject));
    const earned = subjects.length - prefixed.length > 0.2 * subjects.length;
    expect(result.metrics.corrections > 0).toBe(earned);
    expect(listedIn(notes)).toHaveLength(subjects.length);
    expect(result.phases['draft']?.because).toBe('approved');
    expect(result.outputs.publish?.file.path).toBe(out);
  });
});
