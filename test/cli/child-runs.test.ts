/** Runs that tasks start, on the command line: their questions, and the commands that name them. */
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createAsker } from '../../src/cli/run/ask-decision.ts';
import { definePipeline, escalate, human, phase, startRun, task } from '../../src/index.ts';
import { StartedRun } from '../../src/runtime/run-handle.ts';
import { idIn } from './article.ts';
import { files, phasegate, says, start, untimed } from './cli.ts';

/** A pipeline whose task starts two runs, one in the other. The inner one asks a person; a slow task works next to it. */
const NESTED = `
import { definePipeline, escalate, human, phase, task } from 'phasegate';
const inner = definePipeline({ name: 'inner', phases: [
  phase('write', { tasks: [task('text', { run: () => 'draft' })], review: () => escalate('Is it good?') }),
  phase('name', { after: ['write'], tasks: [task('ask', { run: human({ question: 'Which name?' }) })] }),
] });
const middle = definePipeline({ name: 'middle', phases: [phase('go', { tasks: [task('on', { pipeline: () => inner })] })] });
const slow = task('slow', { run: () => new Promise((done) => setTimeout(done, 300, 'done')) });
export default definePipeline({ name: 'outer', phases: [
  phase('build', { tasks: [task('all', { pipeline: () => middle }), slow] }),
] });
`;

/** A pipeline whose task starts a run that asks a person for a number, in a schema that only the run knows. */
const COUNTED = `
import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
import { definePipeline, human, phase, task } from 'phasegate';
const output = z.object({ n: z.number() });
const inner = definePipeline({ name: 'inner', phases: [
  phase('count', { tasks: [task('n', { output, run: human({ question: 'How many?' }) })] }),
] });
export default definePipeline({ name: 'outer', phases: [
  phase('sub', { tasks: [task('t', { pipeline: () => inner })] }),
] });
`;

describe('a question of a run that a task has started', () => {
  it('says why the run refused the latest answer, to all who see the question again', async () => {
    const cwd = await files({ 'p.mjs': COUNTED });
    const run = idIn(await phasegate(['run', 'p.mjs'], { cwd }));
    const open = async () => {
      const { stdout } = await phasegate(['inbox', '--json'], { cwd });
      return z.object({ id: z.string() }).parse(JSON.parse(stdout)).id;
    };
    const refused = await open();
    await phasegate(['inbox', 'answer', refused, '--value', '{"n":"many"}'], { cwd });
    const resumed = await phasegate(['resume', run], { cwd });
    const why = /was refused: Cannot answer item \S+ as .*\bn: Invalid input: expected number/u;
    const again = await open();
    expect(again).not.toBe(refused);
    const told = untimed(resumed.stdout);
    expect(told.find((line) => line.startsWith('an answer'))).toMatch(why);
    const question = told.findIndex((line) => line.includes('count of "inner" waits for a person: How many?'));
    expect(told[question + 1]).toMatch(why);
    const show = async (id: string) => (await phasegate(['inbox', 'show', id], { cwd })).stdout;
    expect(await show(again)).toMatch(why);
    expect(await show(refused)).not.toContain('the latest answer was refused');
    await phasegate(['inbox', 'answer', again, '--value', '{"n":2}'], { cwd });
    expect(await phasegate(['resume', run], { cwd })).toMatchObject({ code: 0 });
  });

  it('makes the runs above wait as well, for a worker and in lists', async () => {
    const cwd = await files({ 'p.mjs': NESTED });
    const worked = async (id: string, seen: string, flags: readonly string[] = []) => {
      await phasegate(['run', 'p.mjs', '--run-id', id, '--detach'], { cwd });
      const worker = start(['work', 'p.mjs', ...flags], { cwd });
      await says(worker, seen);
      worker.child.kill('SIGINT');
      return (await worker.ended).stdout;
    };
    const told = 'r1 "outer" waits for a person: write of "inner"; see phasegate inbox\n';
    expect(await worked('r1', 'waits for a person: write of')).toContain(told);
    expect(await worked('r2', '"done"', ['--json'])).toMatch(/"suspended","waiting":\["r2%2Fbuild[^"]+"\]/u);
    const { stdout: list } = await phasegate(['ls', '--status', 'waiting'], { cwd });
    expect(list).toMatch(/^r1 +waiting: build /mu);
    expect(list).toMatch(/^r1\/build\/0\/0\/task\/all +waiting: go /mu);
    expect((await phasegate(['show', 'r1'], { cwd })).stdout).toMatch(/^run r1 of "outer" {2}waiting$/mu);
    expect((await phasegate(['report', 'r1'], { cwd })).stdout).toMatch(/^# Run r1 of "outer": waiting$/mu);
    expect((await phasegate(['__complete', '--', 'show', 'r1'], { cwd })).stdout).toContain('r1\touter, waiting\n');
    const { stderr } = await phasegate(['apply', 'r1'], { cwd });
    expect(stderr).toContain('Cannot apply run r1 as it is not completed: waiting\n');
  });

  it('suspends the whole run once all other work is done, and names the run to resume', async () => {
    const cwd = await files({ 'p.mjs': NESTED });
    const first = await phasegate(['run', 'p.mjs'], { cwd });
    const id = idIn(first);
    const child = `${encodeURIComponent(`${id}/build/0/0/task/all`)}/go/0/0/task/on`;
    expect(untimed(first.stdout)).toContain('build: slow done');
    const [asks = '', answer = '', ...rest] = first.stdout.trimEnd().split('\n').slice(-4);
    expect([asks, ...rest]).toEqual([
      '  ‖ write of "inner" waits for a person: Is it good?',
      '  stored in .phasegate/runs.db',
      `  resume with: phasegate resume ${id}`,
    ]);
    expect(answer).toMatch(/^ {4}answer with: phasegate inbox answer /u);
    expect(answer).toContain(`${child}:`);
    expect(first).toMatchObject({ code: 3, stderr: '' });

    const item = answer.split(' ').at(-1) ?? '';
    const given = await phasegate(['inbox', 'answer', item, '--approve'], { cwd });
    expect(given.stdout).toMatch(
      new RegExp(
        `^answered; it is applied when the run resumes: phasegate work \\S+p\\.mjs, or phasegate resume ${id}\n$`,
        'u',
      ),
    );
    const again = await phasegate(['inbox', 'answer', item, '--approve'], { cwd });
    expect(again.stderr).toContain(`phasegate resume ${id}\n`);
    for (const command of ['show', 'events'])
      expect((await phasegate([command, child], { cwd })).stdout).not.toContain(`resume ${child}`);
    expect((await phasegate(['show', child], { cwd })).stdout).toContain(`phasegate resume ${id}\n`);

    for (const command of ['resume', 'retry']) {
      const alone = await phasegate([command, child], { cwd });
      expect(alone).toMatchObject({ code: 2, stdout: '' });
      expect(alone.stderr).toContain(`alone as a task of run ${id} has started it\nResume run ${id}, which`);
    }
    expect((await phasegate(['show', 'latest'], { cwd })).stdout).toContain(`run ${id} of "outer"`);
    const second = await phasegate(['resume', id], { cwd });
    expect(second).toMatchObject({ code: 3, stderr: '' });
    const asked = /answer (\S+)\n/u.exec(second.stdout)?.[1] ?? '';
    await phasegate(['inbox', 'answer', asked, '--value', '"Ada"'], { cwd });
    expect((await phasegate(['resume', id], { cwd })).code).toBe(0);
  });

  it('cancels a run that is not stored', async () => {
    const cwd = await files({ 'p.mjs': NESTED });
    const { code, stdout } = await phasegate(['run', 'p.mjs', '--no-store'], { cwd });
    expect(stdout).toContain(
      '"write" waits for a person, but nobody can be asked as this is not a terminal: Is it good?',
    );
    expect(code).toBe(1);
  });

  it('is asked on the terminal, with the outputs that it is about', async () => {
    const inner = definePipeline({
      name: 'inner',
      phases: [
        phase('write', { tasks: [task('text', { run: () => 'draft' })], review: () => escalate('Is it good?') }),
        phase('name', { after: ['write'], tasks: [task('ask', { run: human({ question: 'Which name?' }) })] }),
      ],
    });
    const pipeline = definePipeline({
      name: 'outer',
      phases: [phase('build', { tasks: [task('all', { pipeline: () => inner })] })],
    });
    const [input, output] = [new PassThrough(), new PassThrough()];
    onTestFinished(() => void input.destroy());
    const answers = ['APPROVE', '"Ada"'];
    let screen = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
      if (screen.endsWith('> ')) input.write(`${answers.shift() ?? 'ABORT: no answer is left'}\n`);
    });
    const run = startRun(pipeline, { attended: true });
    const asker = createAsker(run, { input, output, onBusy: () => undefined });
    run.events$.subscribe((record) => asker.apply(record));
    StartedRun.watchChildren(run, (child) => child.events$.subscribe((record) => asker.apply(record)));
    expect(await run.result).toMatchObject({
      status: 'completed',
      outputs: { build: { all: { name: { ask: 'Ada' } } } },
    });
    expect(screen).toContain('‖ write of "inner" waits for a person\n  Is it good?\n  text:\n    draft\n');
    expect(screen).toContain('‖ name/ask of "inner" asks: Which name?\n');
    asker.close();
  });
});
