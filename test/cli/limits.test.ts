import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRun } from '../../src/index.ts';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, phasegate } from './cli.ts';

/** A pipeline that costs one dollar per attempt. Its gate approves the fourth attempt. */
const PIPELINE = `import { approve, definePipeline, phase, retry, task } from 'phasegate';
export default definePipeline({ name: 'article', limits: { costUsd: 50 }, phases: [
  phase('draft', {
    tasks: [task('write', { run: ({ report }) => report({ costUsd: 1, tokens: 100 }) })],
    review: { by: ({ attempt }) => (attempt < 3 ? retry('Longer than ' + attempt) : approve()), maxRetries: 9 },
  }),
  phase('print', { after: ['draft'], tasks: [task('press', { run: () => 'printed' })] }),
] });
`;

/** A pipeline that does not report what it uses, and fails. */
const UNSEEN = `import { definePipeline, phase, task } from 'phasegate';
const run = () => { throw new Error('no network'); };
export default definePipeline({ name: 'unseen', phases: [
  phase('draft', { tasks: [task('write', { unreported: ['tokens', 'costUsd'], estimate: { costUsd: 1 }, run })] }),
] });
`;

describe('limits by flag', () => {
  it('need an amount that is reported or estimated, also when a run is retried', async () => {
    const cwd = await files({ 'p.mjs': UNSEEN });
    const refusal = 'Cannot limit a run by what nothing reports or estimates: `tokens` of "write" of "draft"';
    const begun = await phasegate(['run', 'p.mjs', '--max-tokens', '5', '--no-store'], { cwd });
    expect(`${begun.stdout}${begun.stderr}`).toContain(refusal);
    expect((await phasegate(['run', 'p.mjs', '--max-cost', '5'], { cwd })).stdout).toContain('no network');
    const again = await phasegate(['retry', 'latest', '--max-tokens', '5'], { cwd });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(refusal)]);
    expect((await phasegate(['retry', 'latest', '--max-cost', '9'], { cwd })).stdout).toContain('no network');
  });

  it.each([
    ['--max-cost', '2', 'limit costUsd reached, 2 of 2'],
    ['--max-tokens', '200', 'limit tokens reached, 200 of 200'],
    ['--max-attempts', '3', 'limit attemptsPerPhase reached, 3 of 3'],
    ['--timeout', '0s', 'limit durationMs reached, 0.0s of 0.0s'],
    ['--deadline', '0s', 'limit deadlineMs reached, 0.0s of 0.0s'],
  ])('%s %s ends a run', async (flag, value, said) => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const { code, stdout } = await phasegate(['run', 'p.mjs', flag, value], { cwd });
    expect(stdout).toContain(said);
    expect(code).toBe(1);
  });

  it('of time are said as times are, and stored in milliseconds', async () => {
    const hangs = `(_, no) => { const hang = setInterval(() => {}, 1e6); signal.addEventListener('abort', () => { clearInterval(hang); no(signal.reason); }); }`;
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'slow', phases: [phase('a', { tasks: [task('t', { run: ({ signal }) => new Promise(${hangs}) })] }), phase('b', { after: ['a'], tasks: [task('t', { run: () => 1 })] })] });`,
    });
    const { stdout } = await phasegate(['run', 'p.mjs', '--timeout', '1s', '--run-id', 'r'], { cwd });
    expect(stdout).toMatch(/limit durationMs reached, \d\.\ds of 1\.0s\n/u);
    for (const text of [
      stdout,
      ...(await Promise.all(['show', 'events', 'report'].map((command) => phasegate([command, 'r'], { cwd })))).map(
        (one) => one.stdout,
      ),
    ]) {
      expect(text).toContain('The limit of 1.0s for durationMs is spent');
      expect(text).not.toContain('of 1000');
    }
    expect((await phasegate(['events', 'r', '--json'], { cwd })).stdout).toContain(
      '"reason":"The limit of 1000 for durationMs is spent"',
    );
  });

  it('of time are said as times are in the inbox', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'slow', policy: { onLimit: 'escalate' }, phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });`,
    });
    expect((await phasegate(['run', 'p.mjs', '--timeout', '0s', '--run-id', 'r'], { cwd })).code).toBe(3);
    for (const args of [['inbox'], ['inbox', 'show', 'r:3'], ['show', 'r']])
      expect((await phasegate(args, { cwd })).stdout).toContain('The limit of 0.0s for durationMs is spent');
  });

  it('of time are said as times are in the outcome of an item', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, human, phase, task } from 'phasegate';
export default definePipeline({ name: 'slow', phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Text?' }) })] })] });`,
    });
    expect((await phasegate(['run', 'p.mjs', '--run-id', 'r'], { cwd })).code).toBe(3);
    expect((await phasegate(['resume', 'r', '--deadline', '0s'], { cwd })).code).toBe(1);
    for (const args of [
      ['inbox', '--all'],
      ['inbox', 'show', 'r:4'],
    ])
      expect((await phasegate(args, { cwd })).stdout).toContain('The limit of 0.0s for deadlineMs is spent');
  });

  it.each([
    ['a run', 'inner', 'r'],
    ['the run whose task asks', 'outer', 'r/o/0/0/task/in'],
  ])(
    'of all time are shown with an item, and an answer after them says that it comes too late: %s',
    async (_name, of, asks) => {
      const ASKS = `import { definePipeline, human, phase, task } from 'phasegate';
const inner = definePipeline({ name: 'inner', phases: [phase('a', { tasks: [task('t', { run: human({ question: 'Text?' }) })] })] });
const outer = definePipeline({ name: 'outer', phases: [phase('o', { tasks: [task('in', { pipeline: () => inner })] })] });
export default ${of};`;
      const cwd = await files({
        'p.mjs': ASKS,
        'held.mjs': ASKS.replaceAll(", phases: [phase('", ", policy: { onLimit: 'escalate' }, phases: [phase('"),
      });
      const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
      onTestFinished(async () => store.close());
      const shown = async (id: string) => (await phasegate(['inbox', 'show', id], { cwd })).stdout;
      const answer = (id: string) => phasegate(['inbox', 'answer', id, '--value', '"x"'], { cwd });
      for (const [file, id] of [
        ['p.mjs', 'r'],
        ['held.mjs', 'h'],
      ] as const) {
        await phasegate(['run', file, '--deadline', '2d', '--run-id', id], { cwd });
        // The same run, begun a week ago.
        for (const { runId } of (await store.runs()).filter(
          (run) => /^[rh](?:\/|$)/u.test(run.runId) && run.runId.startsWith(id),
        )) {
          const records = await readRun(store, runId);
          const earlier = records.map((record) => ({ ...record, time: record.time - 7 * 86_400_000 }));
          await copyRun(store, `late-${runId}`, earlier, {});
        }
      }
      const held = asks.replace('r', 'h');
      const items = new Map((await store.inbox({ open: true })).map((item) => [item.runId, item.id]));
      const itemOf = (runId: string) => items.get(runId) ?? '';
      expect(await shown(itemOf(asks))).toMatch(/, run ends in \d+h/u);
      const { stdout } = await phasegate(['inbox', 'show', itemOf(asks), '--json'], { cwd });
      const started = (await store.run('r'))?.startedAt ?? 0;
      expect(JSON.parse(stdout)).toMatchObject({ runEndsAt: started + 2 * 86_400_000 });
      expect(await shown(itemOf(`late-${asks}`))).toContain(', the deadline of the run has passed,');
      for (const runId of [held, `late-${held}`]) expect(await shown(itemOf(runId))).not.toContain('run ends in');
      const late =
        'it is not applied, as the deadline of run late-r has passed: the run ends when it resumes, unless limits.deadlineMs is raised';
      expect(await answer(itemOf(`late-${asks}`))).toMatchObject({ code: 0, stdout: `answered; ${late}\n` });
      expect(await shown(itemOf(`late-${asks}`))).toContain(late);
      for (const runId of [asks, `late-${held}`])
        expect((await answer(itemOf(runId))).stdout).toContain('applied when the run resumes');
      await phasegate(['resume', 'late-r', 'p.mjs'], { cwd });
      expect(await shown(itemOf(`late-${asks}`))).not.toContain('run ends in');
    },
    60_000,
  );

  it('never exceed those of the pipeline, and are stored with the run', async () => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const flags = ['--max-cost', '60', '--max-attempts', '20', '--timeout', '10m', '--deadline', '2d'];
    expect(await phasegate(['run', 'p.mjs', ...flags], { cwd })).toMatchObject({ code: 0 });
    const { stdout } = await phasegate(['events', 'latest', '--json'], { cwd });
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      event: { plan: { limits: { costUsd: 50, attemptsPerPhase: 20, durationMs: 600_000, deadlineMs: 172_800_000 } } },
    });
    const low = ['--at', 'print', '--run', '--max-cost', '4'];
    const fork = await phasegate(['fork', 'latest', ...low], { cwd });
    expect(fork.stdout).toContain('limit costUsd reached, 4 of 4');
    const again = await phasegate(['retry', 'latest'], { cwd });
    expect(again.stdout).toContain('limit costUsd reached');
    expect(again.stderr).toBe('');
  });

  it.each([
    [['run', 'p.mjs', '--max-cost', 'five'], "'five' is invalid. It must be an amount such as 5 or 0.50."],
    [['run', 'p.mjs', '--max-attempts', '0'], "'0' is invalid. It must be a whole number above 0."],
    [['resume', 'latest', '--timeout', 'soon'], "'soon' is invalid. It must be a duration such as"],
    [['fork', 'latest', '--at', 'print', '--max-cost', '1'], "'--max-cost' needs '--run'"],
  ])('%j is refused', async (args, said) => {
    const cwd = await files({ 'p.mjs': PIPELINE });
    const { code, stderr } = await phasegate(args, { cwd });
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });
});
