/** Pending items of people, listed, shown and answered from other processes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainItem } from '../../src/cli/show/item-lines.ts';
import { announceWorker, hasWorker } from '../../src/runtime/workers/presence.ts';
import type { InboxItem, ItemDetail } from '../../src/inbox.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, phasegate, start, type Ended } from './cli.ts';

const PIPELINE = `
import { definePipeline, escalate, human, phase, retry, task } from 'phasegate';
export default definePipeline({ name: 'letter', phases: [
  phase('notes', { tasks: [task('n', { run: () => 'notes' })] }),
  phase('draft', { after: ['notes'],
    tasks: [task('text', { run: ({ attempt, revision }) => \`line\\n\${attempt} \${revision?.feedback ?? ''}\` })],
    review: ({ attempt }) => (attempt === 0 ? retry('shorter') : attempt === 1 ? escalate('Is it\\x1b[31m good?') : 'APPROVE') }),
  phase('print', { after: ['draft'], tasks: [task('p', { run: human({ question: 'Which paper?', choices: ['A4', 'A5'], queue: 'print' }) })] }),
] });
`;

const ITEM: InboxItem = {
  id: 'r:9',
  nonce: 'n',
  runId: 'r',
  seq: 9,
  pipeline: 'p',
  kind: 'escalation',
  about: 'work',
  generation: 0,
  attempt: 0,
  because: 'requested',
  reason: 'Which?',
  queue: 'default',
  severity: 'normal',
  openedAt: 0,
};

const DETAIL: ItemDetail = {
  item: ITEM,
  inputs: {},
  attempts: [],
  corrections: [],
  findings: [],
  reach: [],
  changes: {},
  used: { durationMs: 0, elapsedMs: 0, attempts: 0, reviews: 0, corrections: 0, tokens: 0, costUsd: 0 },
  phaseUsed: { costUsd: 0, tokens: 0 },
  limits: {},
  tasks: [],
  choices: [],
};

describe('an item as lines', () => {
  /** An item of `work`, which retries, sends back `plan`, and then asks a person; attempt numbers span generations. */
  function detailOf(): ItemDetail {
    const attempt = { outputs: {}, verdict: undefined, verdicts: {} };
    const item = { ...ITEM, kind: 'task', about: 'work', task: 'person' } as const;
    return {
      ...DETAIL,
      item,
      attempts: [
        { ...attempt, number: 1, generation: 0, attempt: 0 },
        { ...attempt, number: 2, generation: 0, attempt: 1 },
        { ...attempt, number: 3, generation: 0, attempt: 0 },
        { ...attempt, number: 4, generation: 2, attempt: 0 },
      ],
      inputs: { plan: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`t${at}`, 'x\n'.repeat(30)])) },
    };
  }

  it('gives each attempt a different name', () => {
    const lines = plainItem(detailOf(), 0).split('\n');
    expect(lines.filter((line) => line.startsWith('attempt'))).toEqual([
      'attempt 1',
      'attempt 2',
      'attempt 3',
      'attempt 4, generation 3',
    ]);
  });

  it('shortens the inputs, and counts the rest', () => {
    const text = plainItem(detailOf(), 0);
    expect(text.match(/^ {2}plan \/ t\d+:$/gmu)).toHaveLength(10);
    expect(text).toContain(
      '    … 20 more lines: --json has all of them\n  and 2 outputs more: --json has all of them\n',
    );
  });

  it('shows one line of each input to a reviewer, and counts the rest', () => {
    const inputs = { plan: { text: 'first\nsecond', json: { deep: [1] }, long: 'x'.repeat(500) } };
    for (const kind of ['escalation', 'review'] as const) {
      expect(plainItem({ ...detailOf(), inputs, item: { ...ITEM, kind } }, 0)).toContain(
        `inputs:\n  plan / text: first …\n  plan / json: {"deep":[1]}\n  plan / long: ${'x'.repeat(99)}…\nattempt 1\n`,
      );
    }
    expect(plainItem({ ...detailOf(), item: { ...ITEM, kind: 'review' } }, 0)).toContain(
      '  plan / t9: x …\n  and 2 outputs more: --json has all of them\n',
    );
  });

  it('gives the reason in the words of the dashboard, or the code if it has no words', () => {
    const why = (because: string) => plainItem({ ...DETAIL, item: { ...ITEM, because } }, 0).split('\n')[1];
    expect([why('exhausted'), why('of\x1b[31m something new')]).toEqual([
      '  because: its budget is used up',
      '  because: of something new',
    ]);
  });
});

describe('phasegate inbox', () => {
  it('lists, shows and answers pending items by short ids, and the run continues', async () => {
    const cwd = await waiting();
    const listed = await phasegate(['inbox'], { cwd });
    expect(listed.stdout).toMatch(
      /^item +queue +since +due +about +asks\nr:\d+ +default +.* ago +- +draft +Is it good\?\n$/u,
    );
    expect(listed.code).toBe(0);
    const item = await only(cwd);

    const shown = await phasegate(['inbox', 'show', String(item.seq)], { cwd });
    expect(shown.stdout).not.toContain('\x1b[31m');
    expect(shown.stdout.split('\n')).toEqual(
      expect.arrayContaining([
        '‖ draft of "letter" waits for a decision',
        '  because: a reviewer has asked for a person',
        '  notes / n: notes',
        'attempt 1: retry: shorter',
        'attempt 2: escalate: Is it good?',
        '  draft: shorter',
        'changed in text since the attempt before:',
        '  -0',
        '  +1 shorter',
        expect.stringMatching(/^--retry "…" +"draft" works again, with your feedback$/u),
        expect.stringMatching(/^--rewind notes "…" +"notes" works again/u),
        expect.stringMatching(/^ +runs: notes, draft$/u),
        expect.stringMatching(/^--skip +the phase is left out/u),
        expect.stringMatching(/^ +skips: draft, print$/u),
      ]),
    );
    expect(JSON.parse((await phasegate(['inbox', 'show', item.id, '--json'], { cwd })).stdout)).toMatchObject({
      item: { id: item.id },
      choices: expect.any(Array) as unknown,
    });

    const answered = await phasegate(['inbox', 'answer', item.id, '--retry', 'tighter', '--by', 'ada'], { cwd });
    expect(answered).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^answered; it is applied when the run resumes: phasegate work \S+p\.mjs, or phasegate resume r\n$/u,
      ) as unknown,
      stderr: '',
    });
    const refusal = await refused(['answer', item.id, '--approve'], cwd, 'ANSWERED');
    expect(refusal.stderr).toMatch(
      /as it has an answer already, by ada\n.*: phasegate work \S+p\.mjs, or phasegate resume r\n/u,
    );
    await goOn(cwd, item.id);
    const next = await only(cwd);
    expect(next).toMatchObject({ kind: 'task', about: 'print', queue: 'print' });
    // The worker of a task sees its inputs.
    const work = (await phasegate(['inbox', 'show', next.id], { cwd })).stdout;
    expect(work).toContain('inputs:\n  draft / text:\n    line\n    2 tighter\nattempt 1\n');
    await refused(['answer', next.id, '--value', 'A6'], cwd, 'ANSWER_INVALID');
    expect((await phasegate(['inbox', 'answer', 'R:', '--value', 'A5'], { cwd })).code).toBe(0);
    const { code, stdout } = await phasegate(['resume', 'r', 'p.mjs'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('A5');
    expect((await phasegate(['inbox'], { cwd })).stdout).toBe('no items\n');
    const all = (await phasegate(['inbox', '--all', '--json'], { cwd })).stdout.trimEnd().split('\n');
    expect(all.map((line) => JSON.parse(line) as InboxItem)).toMatchObject([
      { outcome: 'RETRY: tighter', who: 'ada' },
      { outcome: '"A5"' },
    ]);
  });

  it('says that a worker takes up the run, if one is there', async () => {
    const cwd = await waiting();
    const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
    const run = await store.run('r');
    if (!run) throw new Error('The run is gone.');
    const presence = announceWorker(store, [run], 'a worker');
    await expect.poll(() => hasWorker(store, run)).toBe(true);
    const { id } = await only(cwd);
    const { stdout } = await phasegate(['inbox', 'answer', id, '--retry', 'tighter'], { cwd });
    expect(stdout).toBe('answered; a worker takes it up\n');
    expect((await phasegate(['inbox', 'answer', id, '--approve'], { cwd })).stderr).toContain(
      '; a worker takes it up\n',
    );
    expect(await hasWorker(store, { ...run, fingerprint: 'other' })).toBe(false);
    await presence.stop();
    expect(await hasWorker(store, run)).toBe(false);
    await store.close();
  });

  it('shows the answer of an item, its author and the required step, until the run applies it', async () => {
    const cwd = await waiting();
    const store = ['--store', '.phasegate/../.phasegate/runs.db'];
    const look = async (...args: readonly string[]) => (await phasegate([...args, ...store], { cwd })).stdout;
    const { id } = await only(cwd);
    expect(JSON.parse(await look('inbox', '--json'))).not.toHaveProperty('answer');
    await phasegate(['inbox', 'answer', id, '--retry', 'tighter', '--by', 'ada'], { cwd });

    const answer = { by: 'ada', time: expect.any(Number) as unknown };
    expect(await look('inbox')).toMatch(/^r:\d+ .* draft +answered by ada, pending$/mu);
    expect(JSON.parse(await look('inbox', '--json'))).toMatchObject({ id, answer });
    const shown = await look('inbox', 'show', id);
    expect(shown).toMatch(
      /answered by ada, pending\n  it is applied when the run resumes: phasegate work \S+ --store \S+, or phasegate resume r --store \S+\n/u,
    );
    expect(shown).not.toContain('--approve');
    expect(JSON.parse(await look('inbox', 'show', id, '--json'))).toMatchObject({ item: { id, answer } });
    expect(await look('show', 'r')).toContain(`‖ draft answered by ada, pending  (${id})\n`);
    expect(JSON.parse(await look('show', 'r', '--json'))).toMatchObject({ items: [{ id, answer }] });

    await goOn(cwd, id);
    const all = (await look('inbox', '--all')).split('\n');
    expect(all.filter((line) => line.includes(' draft '))).toEqual([expect.stringContaining('RETRY: tighter')]);
    expect(await look('inbox')).not.toContain(', pending');
  });

  it.each<[readonly string[], string, string]>([
    [['--edit', 'outputs.json'], 'approved', 'better'],
    [['--rewind', 'notes', 'more'], 'approved', 'line'],
    [['--skip', 'not this year'], 'skipped', 'not this year'],
    [['--reject', 'no'], 'rejected', 'no'],
    [['--abort'], 'cancelled', ''],
  ])('takes %j', async (flags, status, text) => {
    const cwd = await waiting();
    await writeFile(join(cwd, 'outputs.json'), JSON.stringify({ text: 'better' }));
    const { id } = await only(cwd);
    expect(await phasegate(['inbox', 'answer', id, ...flags], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await phasegate(['resume', 'r', 'p.mjs', '--json'], { cwd });
    const draft = stdout.split('\n').filter((line) => line.includes(`"phase.${status}"`) && line.includes('"draft"'));
    if (text === 'line') expect(stdout).toContain('"phase.rewinding"');
    else expect(draft.join('\n')).toContain(text);
  });

  it.each<[readonly string[], string]>([
    [[], 'ANSWER_INVALID'],
    [['--approve', '--reject', 'x'], 'ANSWER_INVALID'],
    [['--rewind', 'notes'], 'ANSWER_INVALID'],
    [['--rewind', 'print', 'x'], 'DECISION_TARGET_INVALID'],
    [['--rewind', 'notes', 'x', 'y'], 'ANSWER_INVALID'],
    [['--reclassify', 'notes'], 'ANSWER_INVALID'],
    [['--value', '1'], 'ANSWER_INVALID'],
    [['--escalate', 'x'], 'DECISION_INVALID'],
    [['--edit', 'nowhere.json'], 'FILE_UNREADABLE'],
    [['--edit', 'p.mjs'], 'ANSWER_INVALID'],
    [['--approve', '--nonce', 'guess'], 'ANSWER_STALE'],
  ])('refuses %j, and leaves the item open', async (flags, code) => {
    const cwd = await waiting();
    const before = await only(cwd);
    await refused(['answer', before.id, ...flags], cwd, code);
    expect(await only(cwd)).toEqual(before);
  });

  it.each(['--retry', '--reject', '--by'])('refuses an empty %s', async (flag) => {
    const { code } = await phasegate(['inbox', 'answer', 'x', '--approve', flag, ' ']);
    expect(code).toBe(2);
  });

  it('lists the items if an id matches none, or several', async () => {
    const cwd = await waiting();
    await refused(['show', 'nobody'], cwd, 'ITEM_UNKNOWN');
    await refused(['answer', '', '--approve'], cwd, 'ITEM_UNKNOWN');
    await ended(['run', 'p.mjs', '--run-id', 'r2'], cwd);
    await refused(['show', 'r'], cwd, 'ITEM_UNKNOWN');
  });

  it('answers a run of another process, once', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const run = start(['run', 'p.mjs', '--run-id', 'r', '--wait', '--json'], { cwd });
    const item = await until(cwd);
    const both = await Promise.all(
      ['one', 'two'].map((text) => phasegate(['inbox', 'answer', item.id, '--retry', text], { cwd })),
    );
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]));
    const won = both.findIndex(({ code }) => code === 0);
    expect(both[won]?.stdout).toBe(`answered: RETRY: ${['one', 'two'][won]}\n`);
    expect(both[1 - won]?.stderr).toContain('#ANSWERED');
    const next = await until(cwd);
    expect(next).toMatchObject({ about: 'print' });
    expect((await phasegate(['inbox', 'answer', next.id, '--value', 'A4'], { cwd })).stdout).toBe('answered: "A4"\n');
    expect((await run.ended).code).toBe(0);
  });

  it('says that it has aborted a run of another process', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const run = start(['run', 'p.mjs', '--run-id', 'r', '--wait', '--json'], { cwd });
    const { id } = await until(cwd);
    expect(await phasegate(['inbox', 'answer', id, '--abort', 'Enough.'], { cwd })).toEqual({
      code: 0,
      stdout: 'answered: the run was aborted\n',
      stderr: '',
    });
    expect((await run.ended).code).toBe(1);
  });

  it('keeps the same item, with the same nonce, if the asking process is killed', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const first = start(['run', 'p.mjs', '--run-id', 'r', '--wait'], { cwd });
    const item = await until(cwd);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await only(cwd)).toEqual(item);
    await phasegate(['inbox', 'answer', item.id, '--retry', 'x', '--nonce', item.nonce], { cwd });
    const second = start(['resume', 'r', 'p.mjs', '--wait'], { cwd });
    const next = await until(cwd, item.id);
    expect(next).toMatchObject({ about: 'print' });
    second.child.kill('SIGKILL');
    await second.ended;
    expect(await only(cwd)).toEqual(next);
    await phasegate(['inbox', 'answer', next.id, '--value', 'A4'], { cwd });
    expect((await phasegate(['resume', 'r', 'p.mjs'], { cwd })).code).toBe(0);
  });
});

// --- internal ---

/** Creates a folder with a run that waits for a person. @returns Its path. */
async function waiting(): Promise<string> {
  const cwd = await files({ 'p.mjs': PIPELINE });
  await ended(['run', 'p.mjs', '--run-id', 'r'], cwd);
  return cwd;
}

async function ended(args: readonly string[], cwd: string): Promise<Ended> {
  const end = await phasegate(args, { cwd });
  expect(end.code, end.stderr).toBe(3);
  return end;
}

/** Resumes the run until it waits for a person again, and leaves it. */
async function goOn(cwd: string, known: string): Promise<void> {
  const run = start(['resume', 'r', 'p.mjs', '--wait'], { cwd });
  await until(cwd, known);
  run.child.kill('SIGTERM');
  await run.ended;
}

async function only(cwd: string): Promise<InboxItem> {
  const [item, ...others] = await open(cwd);
  expect(others).toEqual([]);
  if (!item) throw new Error('Nothing waits');
  return item;
}

/** Waits for a pending item other than the known one. */
async function until(cwd: string, known = ''): Promise<InboxItem> {
  for (;;) {
    const item = (await open(cwd).catch(() => [])).find(({ id }) => id !== known);
    if (item) return item;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function open(cwd: string): Promise<readonly InboxItem[]> {
  const store = sqliteStore(join(cwd, '.phasegate/runs.db'), { readOnly: true });
  const items = await store.inbox({ open: true });
  await store.close();
  return items;
}

async function refused(args: readonly string[], cwd: string, code: string): Promise<Ended> {
  const end = await phasegate(['inbox', ...args], { cwd });
  expect(end).toMatchObject({ code: 2, stdout: '' });
  expect(end.stderr).toContain(`docs/errors.md#${code}`);
  return end;
}
