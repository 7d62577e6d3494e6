import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { files } from './cli.ts';
import { onTerminal, python } from './pty.ts';

function pipelineOf(review: string, run = `() => 'text'`): Promise<string> {
  return files({
    'p.mjs': `import { definePipeline, escalate, phase, task } from 'phasegate';
      export default definePipeline({ name: 'article', phases: [
        phase('draft', { tasks: [task('write', { run: ${run} })], review: ${review} }),
      ] });`,
  });
}

const ESC = '\u001B';

/** A pipeline of 500 phases, some with corrections. Eight phases run at a time. */
const MANY = `import { definePipeline, phase, retry, task } from 'phasegate';
  import { setTimeout } from 'node:timers/promises';
  const phases = Array.from({ length: 500 }, (_, at) => phase('phase ' + at, {
    after: at < 10 ? [] : ['phase ' + (at - 10)],
    tasks: [
      task('read', { run: async ({ report }) => {
        report({ progress: 'reading', costUsd: 0.01 });
        await setTimeout(10);
        if (at === 250) console.log('half of it is done');
      } }),
      task('write', { run: () => setTimeout(at % 20) }),
    ],
    ...(at % 7 === 0 && { review: ({ attempt }) => attempt === 0 ? retry('Say more') : 'APPROVE' }),
  }));
  export default definePipeline({ name: 'many', phases, concurrency: 8 });`;
const PROGRESS = /^\d+\/500 /u;

describe.skipIf(!python)('on a terminal', () => {
  it('a run is a live tree in colours, with the output of the pipeline above it', async () => {
    const run = `async ({ report }) => { report({ progress: 'thinking' }); console.log('said aloud'); await new Promise((done) => setTimeout(done, 300)); return 'text'; }`;
    const directory = await pipelineOf(`() => 'APPROVE'`, run);
    const frames: (readonly string[])[] = [];
    const { code, text } = await onTerminal(
      ['run', join(directory, 'p.mjs'), '--run-id', 'r1'],
      {},
      {},
      { onFrame: (screen) => frames.push(screen.lines()) },
    );
    expect(
      frames
        .find((lines) => lines.includes('said aloud') && lines.includes('  ● write  thinking'))
        ?.map((line) => line.replace(/[\d.]+s$/u, 'now')),
    ).toEqual([
      'run r1 of "article"',
      'said aloud',
      'article  ● 1',
      '● draft  0/1 task  now',
      '  ● write  thinking',
      '0/1 approved · now',
    ]);
    expect(frames.at(-1)?.map((line) => line.replace(/[\d.]+s/u, 'now'))).toEqual([
      'run r1 of "article"',
      'said aloud',
      'article  ✓ 1',
      '✓ draft  1 task  now',
      '✓ completed in now: 1 of 1 phase approved, 1 attempt  run r1',
      '  draft / write',
      '    text',
    ]);
    expect(text).toContain(`${ESC}[36m●${ESC}[39m draft`);
    expect(text).toContain('thinking');
    expect(text).toContain(`${ESC}[32m✓${ESC}[39m draft`);
    expect(text).toContain(`${ESC}[32m✓ completed${ESC}[39m in `);
    // The cursor is hidden while the tree is drawn, and is visible at the end.
    expect(text.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(text.lastIndexOf(`${ESC}[?25l`));
    expect(text.indexOf(`${ESC}[?25l`)).toBeGreaterThan(-1);
    expect(code).toBe(0);
  });

  it.each([
    [20, 8],
    [200, 40],
  ])('500 phases fit into %i columns and %i rows in every frame', async (columns, rows) => {
    const directory = await files({ 'p.mjs': MANY });
    const frames: (readonly string[])[] = [];
    const { code } = await onTerminal(
      ['run', join(directory, 'p.mjs'), '--run-id', 'r1'],
      {},
      {},
      { size: { columns, rows }, onFrame: (screen) => frames.push(screen.lines()) },
    );
    const drawn = frames.filter((lines) => lines.some((line) => PROGRESS.test(line)));
    expect(drawn.length).toBeGreaterThan(3);
    for (const lines of drawn) {
      // One row is free for the cursor. The frame has no remains of earlier frames.
      expect(lines.length).toBeLessThan(rows);
      expect(lines.findIndex((line) => PROGRESS.test(line))).toBe(lines.length - 1);
      expect(lines.filter((line) => line.startsWith('…')).length).toBe(1);
    }
    // The final output lists phases that were sent back, as far as there is room next to the summary, and counts the
    // rest.
    const kept = frames.at(-1) ?? [];
    expect(kept.filter((line) => line.startsWith('…')).length).toBe(1);
    expect(kept.filter((line) => line.startsWith('✓ phase')).length).toBe(columns === 20 ? 1 : rows - 4);
    expect(kept.length).toBeLessThan(rows);
    expect(code).toBe(0);
  });

  it('the tree adapts to a new size of the window', async () => {
    const run = `async ({ report }) => { report({ progress: 'a long way to go '.repeat(4) }); console.log('said aloud');
      await new Promise((done) => setTimeout(done, 700)); return 'text'; }`;
    const directory = await pipelineOf(`() => 'APPROVE'`, run);
    const frames: (readonly string[])[] = [];
    await onTerminal(
      ['run', join(directory, 'p.mjs'), '--run-id', 'r1'],
      {},
      {},
      { resize: { 'go a long way': { columns: 24, rows: 24 } }, onFrame: (screen) => frames.push(screen.lines()) },
    );
    const narrow = frames.findLast((lines) => lines.some((line) => line.includes('●'))) ?? [];
    // Only the last rows are compared, as the terminal may show remains of a frame that was written during the
    // change.
    expect(narrow.slice(-4).map((line) => line.replace(/[\d.]+s$/u, 'now'))).toEqual([
      'article  ● 1',
      '● draft  0/1 task  now',
      '  ● write  a long way…',
      '0/1 approved · now',
    ]);
  });

  it('colours are off if NO_COLOR is set', async () => {
    const directory = await pipelineOf(`() => 'APPROVE'`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], {}, { NO_COLOR: '1' });
    expect(text).toContain('✓ completed');
    // oxlint-disable-next-line no-control-regex -- codes of colours are what must not be there
    expect(text).not.toMatch(/\u001B\[\d+m/u);
    expect(code).toBe(0);
  });

  it('output is plain lines if the terminal has no cursor control', async () => {
    const directory = await pipelineOf(`() => 'APPROVE'`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], {}, { TERM: 'dumb' });
    expect(text).toContain('draft: approved');
    expect(text).not.toContain(ESC);
    expect(code).toBe(0);
  });

  it('a person is asked, and decides', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], {
      '\n> ': 'maybe\n',
      'is not a decision': '\n',
      'is no decision': 'APPROVE\n',
    });
    expect(text).toContain('‖ draft waits for a person');
    expect(text).toContain('Legal must see this.');
    const prompt = text.indexOf('\n> ');
    expect(text.lastIndexOf(`${ESC}[?25h`, prompt)).toBeGreaterThan(text.lastIndexOf(`${ESC}[?25l`, prompt));
    expect(text).toContain('✓ completed');
    expect(code).toBe(0);
  });

  it('the tree stands above a question', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const frames: (readonly string[])[] = [];
    const { code } = await onTerminal(
      ['run', join(directory, 'p.mjs'), '--run-id', 'r1'],
      { '\n> ': 'APPROVE\n' },
      {},
      { onFrame: (screen) => frames.push(screen.lines()) },
    );
    const asking = frames.at(-1) ?? [];
    const tree = asking.findIndex((line) => line.startsWith('‖ draft  waits for you'));
    const question = asking.findIndex((line) => line.startsWith('‖ draft waits for a person'));
    expect(tree).toBeGreaterThan(0);
    expect(question).toBeGreaterThan(tree);
    expect(code).toBe(0);
  });

  it('the end of the input cancels the run instead of approving', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const { code, text } = await onTerminal(['run', join(directory, 'p.mjs')], { '\n> ': '\u0004' });
    expect(text).toContain('The input ended before a decision on "draft"');
    expect(code).toBe(1);
  });

  it('the end of the input leaves a stored run, and resume asks again', async () => {
    const directory = await pipelineOf(`() => escalate('Legal must see this.')`);
    const env = { PHASEGATE_STORE: join(directory, 'runs.db'), NO_COLOR: '1' };
    const left = await onTerminal(['run', join(directory, 'p.mjs')], { '\n> ': '\u0004' }, env);
    expect(left.text).toMatch(/run \w{26} of "article"/u);
    expect(left.text).toContain('Ctrl-C suspends the run.');
    expect(left.text).toContain('◌ suspended');
    expect(left.code).toBe(3);
    const resumed = await onTerminal(['resume', 'latest'], { '\n> ': 'APPROVE\n' }, env);
    expect(resumed.text).toContain('Legal must see this.');
    expect(resumed.text).toContain('✓ completed');
    expect(resumed.code).toBe(0);
  });

  it.each([
    ['while it works', `() => 'APPROVE'`, '() => new Promise((done) => setTimeout(done, 1e9))', '● write'],
    ['while it asks', `() => escalate('See.')`, `() => 'text'`, '\n> '],
  ])('Ctrl-C cancels the run %s', async (_, review, run, awaited) => {
    const directory = await files({
      'p.mjs': `import { definePipeline, escalate, phase, task } from 'phasegate';
        export default definePipeline({ name: 'article', phases: [
          phase('draft', { tasks: [task('write', { run: ${run} }), task('more', { run: () => 1 })], review: ${review} }),
        ] });`,
    });
    const { code, text } = await onTerminal(
      ['run', join(directory, 'p.mjs')],
      { [awaited]: '\u0003' },
      { NO_COLOR: '1' },
    );
    expect(text).toContain('⊘ cancelled');
    expect(text).toContain('Interrupted by Ctrl-C');
    expect(code).toBe(130);
  });
});
