/** The release notes example with a key: the words and the review come from a server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { phasegateProcess as phasegate, untimed } from '../cli/cli.ts';
import { listen, verdict, type Entry } from '../openai/server.ts';
import { emptyDirectory, gitIn, removeAll, repository } from './repository.ts';

afterAll(removeAll);

/** Writes the notes of a repository with a model that answers from a list. */
async function notesOf(repo: string, entries: readonly Entry[]) {
  const server = await listen(entries);
  const out = join(emptyDirectory(), 'NOTES.md');
  const args = ['run', 'examples/release-notes/pipeline.ts', '--input', `repo=${repo}`, '--input', `out=${out}`];
  const { code, stdout } = await phasegate(args, { env: { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: server.url } });
  await server.close();
  const steps = untimed(stdout).filter((line) => /^draft: (?:started|approved|verdict|retry|sends back)/u.test(line));
  return { code, steps, asked: server.asked, read: () => readFileSync(out, 'utf8') };
}

const worded = (...entries: readonly (readonly [hash: string, text: string])[]) =>
  JSON.stringify({ entries: entries.map(([hash, text]) => ({ hash, text })) });

it('examples/release-notes with a key lets a model word the entries, finds omissions and inventions, and reviews it', async () => {
  const repo = repository([
    'feat: read YAML',
    'fix(cli): exit with 2 on a bad flag',
    'perf: read in one pass\n\nBREAKING CHANGE: the callback is called once',
  ]);
  const [perf = '', fix = '', feat = ''] = gitIn(repo, ['log', '--format=%h', '--abbrev=8']).trim().split('\n');
  const breaking = `Reads in one pass, so the callback is called once: do not rely on a second call, which ${'never '.repeat(8)}comes`;
  const { code, steps, asked, read } = await notesOf(repo, [
    worded([perf, 'Faster!'], [feat, 'YAML is read.'], ['deadbeef', 'World peace.']),
    worded([perf, 'Faster!'], [feat, 'YAML is read.'], [fix, 'A bad flag ends with exit code 2.']),
    verdict({ verdict: 'needs_changes', required_change: 'Say what breaks.', critique: '"Faster!" hides it.' }),
    worded([perf, breaking], [feat, 'YAML is read.'], [fix, 'A bad flag ends with `2`.']),
    verdict({ prior_findings: [{ finding: 1, status: 'fixed' }] }),
  ]);
  expect(steps).toEqual([
    'draft: started',
    expect.stringMatching(/^draft: verdict: retry: Check "every commit once" failed:/u),
    expect.stringMatching(/^draft: retry 1\/2: List the commits that are missing: /u),
    'draft: started, attempt 2',
    expect.stringMatching(/^draft: verdict: retry: /u),
    expect.stringMatching(/^draft: retry 2\/2: Say what breaks\./u),
    'draft: started, attempt 3',
    'draft: verdict: approve',
    'draft: approved',
  ]);
  expect(code).toBe(0);
  expect(read()).toBe(`# Release notes

Everything from the beginning: 3 commits.

## Breaking changes

- Reads in one pass, so the callback is called once: do not rely on a second call, which never never
  never never never never never never comes (${perf})

## Features

- YAML is read. (${feat})

## Fixes

- A bad flag ends with \\\`2\\\`. (${fix})
`);

  const [first, second, review, third, last] = asked;
  expect(asked.map(({ path }) => path)).toEqual(Array.from({ length: 5 }, () => '/v1/chat/completions'));
  expect(first?.user).toMatch(/^Word one entry of release notes for each commit\.[^]*"section": "Breaking changes"/u);
  expect(first?.user).toContain('"breakingNote": "the callback is called once"');
  expect(second?.user).toMatch(/^## Revision Instructions \(Attempt 2\)/u);
  expect(second?.user).toContain(`List the commits that are missing: ${fix} fix(cli): exit with 2 on a bad flag.`);
  expect(second?.user).toContain('Remove the entries of no commit: - World peace. (deadbeef).');
  expect(second?.user).toContain('Remove the hashes that are not in the range: deadbeef.');
  expect(review?.user).toContain(`- Faster! (${perf})`);
  expect(review?.user).toContain('"subject": "perf: read in one pass"');
  expect(third?.user).toMatch(/^## Revision Instructions \(Attempt 3\)[^]*Say what breaks\.[^]*"Faster!" hides it\./u);
  expect(last?.user).toContain('"asked_for": "Say what breaks."');
});

it('examples/release-notes with a key writes nothing if the model is unavailable', async () => {
  const refused = { status: 401, body: { error: { message: 'bad key' } } };
  const { code, asked, read } = await notesOf(repository(['feat: read YAML']), [refused]);
  expect([code, asked.length]).toEqual([1, 1]);
  expect(read).toThrow('ENOENT');
});
