/** Tags on the command line: of new runs, in lists, as filters; and the columns that lists are sorted by. */
import { describe, expect, it } from 'vitest';
import { article } from './article.ts';
import { files, phasegate } from './cli.ts';

/** Runs the pipeline of a folder. */
async function ran(cwd: string, runId: string, ...flags: readonly string[]): Promise<void> {
  const { code } = await phasegate(['run', 'p.mjs', '--run-id', runId, ...flags], { cwd });
  expect(code).toBe(0);
}

const TAGGED = `name: p
tags: [team=search, nightly]
phases:
  - name: a
    tasks: [{ name: t, command: [echo, text] }]
`;

/** The ids that `ls` lists. */
async function listed(cwd: string, ...flags: readonly string[]): Promise<readonly unknown[]> {
  const { stdout } = await phasegate(['ls', '--json', ...flags], { cwd });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => Reflect.get(Object(JSON.parse(line)), 'runId'));
}

describe('tags on the command line', () => {
  it('are those of --tag, and lists show and find them', async () => {
    const cwd = await article('go');
    await ran(cwd, 'one', '--tag', 'team=search', '--tag', 'nightly');
    await ran(cwd, 'two', '--tag', 'team=ads');
    await ran(cwd, 'none');
    await ran(cwd, 'later', '--detach', '--tag', 'nightly');

    const { stdout } = await phasegate(['ls'], { cwd });
    expect(stdout).toMatch(/^run +status +approved +started +worked +used +pipeline +tags *$/mu);
    expect(stdout).toMatch(/^one +completed .* article +nightly team=search *$/mu);
    expect(stdout).toMatch(/^none +completed .* article *$/mu);
    expect(stdout).toMatch(/^later +queued .* article +nightly *$/mu);
    expect(await listed(cwd, '--tag', 'team')).toEqual(['two', 'one']);
    expect(await listed(cwd, '--tag', 'nightly')).toEqual(['later', 'one']);
    expect(await listed(cwd, '--tag', 'nightly', '--tag', 'team=search')).toEqual(['one']);
    expect(await listed(cwd, '--tag', 'nightly', '-n', '1')).toEqual(['later']);
    expect(await listed(cwd, '--tag', 'nightly', '--status', 'completed')).toEqual(['one']);
    expect(await listed(cwd, '--sort', 'tags')).toEqual(['later', 'one', 'two', 'none']);

    expect((await phasegate(['show', 'one'], { cwd })).stdout).toContain('\n  tags nightly team=search\n');
    expect((await phasegate(['report', 'one'], { cwd })).stdout).toMatch(/\| Tags +\| nightly team=search +\|/u);
    expect((await phasegate(['show', 'none'], { cwd })).stdout).not.toContain('tags');
  }, 60_000);

  it('are kept by a fork and by a copy of the run', async () => {
    const cwd = await article('go');
    await ran(cwd, 'one', '--tag', 'team=search');
    await phasegate(['export', 'one', '-o', 'one.jsonl'], { cwd });
    await phasegate(['import', 'one.jsonl', '--run-id', 'copy'], { cwd });
    await phasegate(['fork', 'one', '--at', 'draft'], { cwd });
    expect(await listed(cwd)).toHaveLength(3);
    expect(await listed(cwd, '--tag', 'team=search')).toHaveLength(3);
  }, 60_000);

  it('are those of a file in YAML, except for keys that --tag has', async () => {
    const cwd = await files({ 'p.yaml': TAGGED });
    const tagsOf = async (runId: string, ...flags: readonly string[]) => {
      await phasegate(['run', 'p.yaml', '--run-id', runId, ...flags], { cwd });
      return (await phasegate(['show', runId], { cwd })).stdout.match(/^ {2}tags (.*)$/mu)?.[1];
    };
    expect(await tagsOf('one')).toBe('nightly team=search');
    expect(await tagsOf('two', '--tag', 'team=ads', '--tag', 'new')).toBe('new nightly team=ads');
    expect(await tagsOf('three', '--detach')).toBe('nightly team=search');
  }, 60_000);

  it('of a file in YAML are refused with their line', async () => {
    for (const [tags, problem] of [
      ['[two words]', 'p.yaml:2:7: "tags": this is no tag: "two words". Use at most 16 tags'],
      ['[a=1, a=2]', 'p.yaml:2:7: "tags": two tags have the key "a": a=1 and a=2. Give each key one value.'],
      ['[1]', 'p.yaml:2:8: item 1 of "tags": expected text, found a number'],
      [JSON.stringify(Array.from({ length: 17 }, (_, at) => `t${at}`)), 'p.yaml:2:7: "tags": '],
    ]) {
      const cwd = await files({ 'p.yaml': TAGGED.replace(/\[.*/u, tags ?? '') });
      const { code, stderr } = await phasegate(['run', 'p.yaml'], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(problem ?? '')]);
    }
  }, 60_000);

  it('that are invalid start nothing', async () => {
    const cwd = await article('go');
    const refused = await phasegate(['run', 'p.mjs', '--detach', '--tag', 'two words'], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('Cannot start a run as its tags are invalid: this is no tag: "two words"');
    const here = await phasegate(['run', 'p.mjs', '--tag', 'a=1', '--tag', 'a=2'], { cwd });
    expect(here).toMatchObject({ code: 2, stdout: '' });
    expect(here.stderr).toContain('Cannot start a run as its tags are invalid: two tags have the key "a": a=1 and a=2');
    expect(await listed(cwd)).toEqual([]);
  }, 60_000);
});

describe('the order of ls', () => {
  it.each(['started', 'updated', 'worked', 'elapsed', 'cost', 'tokens', 'tags'])('may be by %s', async (order) => {
    const cwd = await article('go');
    await ran(cwd, 'one');
    expect(await listed(cwd, '--sort', order)).toEqual(['one']);
  });

  it('is by no other column', async () => {
    const cwd = await article('go');
    await ran(cwd, 'one');
    const { code, stderr } = await phasegate(['ls', '--sort', 'size'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('Cannot list runs sorted by "size"\nUse one of started, updated, worked,');
  });
});
