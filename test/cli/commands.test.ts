import { describe, expect, it } from 'vitest';
import { files, phasegate, phasegateProcess, untimed } from './cli.ts';

const SOUND = `
name: article
phases:
  - name: research
    tasks: [{ name: read, command: [echo, notes], estimate: { costUsd: 0.25, tokens: 1000 } }]
  - name: draft
    after: [research]
    tasks: [{ name: write, command: [echo, text] }]
    review: { by: { name: editor, command: [echo, APPROVE] }, maxRetries: 1, maxReviewErrors: 0 }
  - name: print
    after: [research, draft]
    tasks: [{ name: press, command: [echo, done] }]
    review: { by: { command: [echo, APPROVE] }, maxRetries: unlimited }
`;

describe('phasegate check', () => {
  it('prints the worst case of each phase, the shape, and remarks', async () => {
    const cwd = await files({ 'p.yaml': SOUND });
    const { code, stdout, stderr } = await phasegate(['check', 'p.yaml'], { cwd });
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      ✓ article is sound: 3 phases, 3 tasks, 2 gates

      at worst  after            starts  attempts   reviews           estimate
      research                   5       5                            5.0k tokens, $1.25
      draft     research         7       14         editor 14
      print     research, draft  5       unbounded  review unbounded
      total                              unbounded  unbounded

      3 levels, of at most 1 phase
      critical path: research → draft → print
      unbounded: a run may never end
      EDGE_REDUNDANT "print" need not name "research" in its after list, unless its gate sends it back: another predecessor comes after it
      UNBOUNDED Some phases have no bound, as a count is "unlimited": limits.corrections and limits.attemptsPerPhase bound attempts, only a number bounds maxReviewErrors and the tries of a task
      "
    `);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('shortens a long critical path', async () => {
    const pathOf = async (phases: number) => {
      const cwd = await files({
        'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
          const made = (_, at) => phase('p' + at, { after: at ? ['p' + (at - 1)] : [], tasks: [task('t', { run: () => 1 })] });
          export default definePipeline({ name: 'p', phases: Array.from({ length: ${phases} }, made) });`,
      });
      const { stdout } = await phasegate(['check', 'p.mjs'], { cwd });
      return /^critical path: (.*)$/mu.exec(stdout)?.[1];
    };
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `p${from + at}`);
    expect(await pathOf(20)).toBe(names(0, 20).join(' → '));
    expect(await pathOf(1000)).toBe([...names(0, 10), '980 more', ...names(990, 1000)].join(' → '));
  });

  it('reports a task that never begins, as its estimate exceeds a limit', async () => {
    const task = '{ name: t, command: [echo, x], estimate: { costUsd: 5 } }';
    const text = `name: p\nlimits: { costUsd: 1 }\nphases: [{ name: a, tasks: [${task}] }]\n`;
    const cwd = await files({ 'p.yaml': text });
    const { code, stdout } = await phasegate(['check', 'p.yaml'], { cwd });
    expect(stdout).toContain('\nLIMIT_TOO_LOW "t" of phase "a" can never begin: its estimate of 5 is more than');
    expect(code).toBe(0);
  });

  it('refuses an unsound pipeline with every problem and exit code 2', async () => {
    const cwd = await files({
      'p.yaml': SOUND.replaceAll('[research', '[print').replace('name: press', 'nmae: press'),
    });
    const { code, stdout, stderr } = await phasegate(['check', 'p.yaml'], { cwd });
    expect(stderr).toContain('unknown key "nmae". Did you mean "name"?');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('shows a cycle as a path', async () => {
    const cwd = await files({ 'p.yaml': SOUND.replace('after: [research]', 'after: [print]') });
    const { code, stderr } = await phasegate(['check', 'p.yaml'], { cwd });
    expect(stderr).toMatch(/draft → print → draft|print → draft → print/u);
    expect(code).toBe(2);
  });

  it('runs nothing', async () => {
    const cwd = await files({ 'p.yaml': SOUND.replace('[echo, notes]', '[touch, ran]') });
    await phasegate(['check', 'p.yaml'], { cwd });
    const { code } = await phasegate(['run', 'p.yaml', '--input-file', 'ran'], { cwd });
    expect(code).toBe(2);
  });
});

describe('phasegate graph', () => {
  it.each([
    [[], /^flowchart LR\n/u],
    [['--format', 'mermaid'], /^flowchart LR\n/u],
    [['-f', 'dot'], /^digraph "article" \{\n/u],
  ])('%j prints a picture and nothing else', async (args, picture) => {
    const cwd = await files({
      'p.mjs': `console.log('noise');
        import { definePipeline, phase, task } from 'phasegate';
        export default definePipeline({ name: 'article', phases: [phase('draft', { tasks: [task('write', { run: () => 1 })] })] });`,
    });
    const { code, stdout, stderr } = await phasegateProcess(['graph', 'p.mjs', ...args], { cwd });
    expect(stdout).toMatch(picture);
    expect(stdout).not.toContain('noise');
    expect(stderr).toBe('noise\n');
    expect(code).toBe(0);
  });

  it('refuses unknown languages', async () => {
    const { code, stderr } = await phasegate(['graph', 'p.yaml', '--format', 'png']);
    expect(stderr).toContain('Allowed choices are mermaid, dot, svg.');
    expect(code).toBe(2);
  });
});

describe('examples/quality-gate', () => {
  const FILE = 'examples/quality-gate/pipeline.yaml';

  it('shortens its article until it fits', async () => {
    const { code, stdout, stderr } = await phasegate(['run', FILE]);
    expect(untimed(stdout).filter((line) => /verdict|retry|approved/u.test(line))).toEqual([
      'summary: verdict: retry: Check "length" failed: The summary has 162 words, 32 more than the 130 that are allowed. Drop a sentence.',
      'summary: retry 1/4: Make `node check-length.mjs` pass (exit code 1).',
      'summary: verdict: retry: Check "length" failed: The summary has 144 words, 14 more than the 130 that are allowed. Drop a sentence.',
      'summary: retry 2/4: Make `node check-length.mjs` pass (exit code 1).',
      'summary: verdict: approve',
      'summary: approved',
      'page: verdict: approve',
      'page: approved',
      expect.stringMatching(/^✓ completed in .*: 2 of 2 phases approved, 4 attempts, 2 corrections/u),
    ]);
    expect(stdout).toContain('<h1>Why gates belong into the model</h1>');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('is rejected if no summary can be that short', async () => {
    expect(await phasegate(['run', FILE, '--input', 'words:=5'])).toMatchObject({ code: 1 });
  });
});
