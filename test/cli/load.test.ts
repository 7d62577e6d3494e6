import { describe, expect, it } from 'vitest';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { files, phasegate, phasegateProcess, repository } from './cli.ts';

const DEFINE = `import { definePipeline, phase, task } from 'phasegate';
const make = (name) => definePipeline({ name, phases: [phase('draft', { tasks: [task('write', { run: () => name })] })] });
`;

const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>;
};
const entries = Object.keys(manifest.exports).map((name) => name.replace(/^\./u, 'phasegate'));

describe('pipelines from modules', () => {
  it.each([
    [
      'p.ts',
      `${DEFINE.replace('(name)', '(name: string)')} enum Level { Low } void Level.Low; export default make('it');`,
    ],
    ['p.mts', `${DEFINE.replace('(name)', '(name: string)')} export const only = make('it'); export const other = 1;`],
    ['p.js', `${DEFINE} export default make('it'); export const another = make('not it');`],
    ['p.mjs', `${DEFINE} const later = await Promise.resolve('it'); export default make(later);`],
    [
      'p.cjs',
      `const { definePipeline, phase, task } = require('phasegate');
      module.exports = definePipeline({ name: 'it', phases: [phase('draft', { tasks: [task('write', { run: () => 1 })] })] });`,
    ],
    [
      'p.ts',
      `import { name } from './part.ts'; ${DEFINE.replace('(name)', '(name: string)')} export default make(name);`,
    ],
  ])('%s is loaded: %s', async (name, content) => {
    const cwd = await files({ [name]: content, 'part.ts': `export const name: string = 'it';` });
    const { code, stdout, stderr } = await phasegate(['run', name], { cwd });
    expect(stderr).toBe('');
    expect(stdout).toContain('of "it" started');
    expect(code).toBe(0);
  });

  it('share the library instance of the command line, so that their errors are recognised', async () => {
    //  plan ──▶ build: needs rework once
    const cwd = await files({
      'p.ts': `import { definePipeline, needsRework, phase, PhasegateError, task } from 'phasegate';
        import { command } from 'phasegate/node';
        let asked = 0;
        const plan = phase('plan', { tasks: [task('steps', { run: command(['node', '--print', '1 + 1']) })] });
        const build = phase('build', { after: [plan], review: () => 'APPROVE', tasks: [task('make', { run: () => {
          if (asked++ === 0) throw needsRework('plan', 'List a step.');
          return new PhasegateError('TASK_FAILED', 'x') instanceof PhasegateError;
        } })] });
        export default definePipeline({ name: 'it', phases: [plan, build] });`,
    });
    const { code, stdout } = await phasegate(['run', 'p.ts'], { cwd });
    expect(stdout).toContain('build: sends back plan 1/2: List a step.');
    expect(stdout).toContain('\n  build / make\n    true\n');
    expect(code).toBe(0);
  });

  it.each([
    ['nothing', 'export {};', 'Cannot load a pipeline from "p.ts" as it exports nothing'],
    [
      'no pipeline',
      `export const a = 1; export default { plan: 1 };`,
      'Cannot load a pipeline from "p.ts" as none of its exports is one: a, default',
    ],
    [
      'several',
      `${DEFINE.replace('(name)', '(name: string)')} export const a = make('a'); export const b = make('b');`,
      'Cannot load a pipeline from "p.ts" as it exports several: a, b',
    ],
    [
      'a syntax error',
      'const a = 1;\nconst b: = 3;\n',
      /Cannot load "p\.ts" as it has a syntax error: Unexpected token[^]*p\.ts:2:9/u,
    ],
    [
      'a throw',
      'const a = 1;\nthrow new TypeError("boom");',
      /Cannot load "p\.ts" as it throws TypeError: boom\n {4}at .*p\.ts:2:7/u,
    ],
    [
      'a throw of undefined',
      'throw undefined;',
      'Cannot load "p.ts" as it throws undefined: Thrown value was not an Error: undefined',
    ],
    [
      'an import of nothing',
      `import './nope.ts';`,
      `Cannot load "p.ts" as it throws Error: Cannot find module './nope.ts'`,
    ],
    [
      'an invalid definition',
      `import { definePipeline, phase, task } from 'phasegate';
       export default definePipeline({ name: 'x', phases: [phase('a', { after: ['nope'], tasks: [] })] });`,
      /Cannot define pipeline "x" as it has 2 problems:\n {2}(?:.*\n)*.*TASKS_EMPTY/u,
    ],
  ])('that have %s are refused with exit code 2', async (_, content, message) => {
    const cwd = await files({ 'p.ts': content });
    const { code, stdout, stderr } = await phasegate(['run', 'p.ts'], { cwd });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/jiti|node:internal/u);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  // The folder has no project, and no installed packages. `phasegate/store` exports types only.
  it.each(['mjs', 'cjs'])('find every entry of the package outside of a project, from .%s', async (extension) => {
    const all = entries.map((name, index) =>
      extension === 'cjs' ? `const e${index} = require('${name}');` : `import * as e${index} from '${name}';`,
    );
    const cwd = await files({
      [`p.${extension}`]: `${all.join('\n')}
        const { definePipeline, phase, task } = e${entries.indexOf('phasegate')};
        const found = [${entries.map((name, index) => `Object.keys(e${index}).length > 0 || '${name}' === 'phasegate/store'`).join(', ')}];
        const pipeline = definePipeline({ name: found.join(), phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
        ${extension === 'cjs' ? 'module.exports = pipeline;' : 'export default pipeline;'}`,
    });
    const { code, stdout, stderr } = await phasegate(['check', `p.${extension}`], { cwd });
    expect(stderr).toBe('');
    expect(stdout).toContain(`✓ ${entries.map(() => 'true').join(',')} is sound`);
    expect(code).toBe(0);
  });

  it.each([
    ['phasegate/opena', 'Did you mean "phasegate/openai"?'],
    ['@nobody/has-this/part', 'Install it in the project of the file: npm install @nobody/has-this\n'],
    ['nobody-has-this', 'Install it in the project of the file: npm install nobody-has-this\n'],
  ])('that import %s fail with advice', async (name, advice) => {
    const cwd = await files({ 'p.ts': `import '${name}';` });
    const { code, stderr } = await phasegate(['check', 'p.ts'], { cwd });
    expect(stderr).toContain(`Cannot find module '${name}'`);
    expect(stderr).toContain(advice);
    expect(code).toBe(2);
  });
});

describe('a module that starts runs itself', () => {
  const program = (
    review: string,
    rest: string,
  ) => `import { definePipeline, phase, reject, runPipeline, startRun, task } from 'phasegate';
    const a = phase('a', { tasks: [task('t', { run: () => 'made' })], review: () => ${review} });
    const pipeline = definePipeline({ name: 'own', phases: [a] });
    ${rest}`;
  const TO_EXPORT =
    'To let phasegate show, store and resume the run, remove `startRun` and write `export default definePipeline({ ... })`.';

  it.each([
    ['startRun, and awaits it', `const { outputs } = startRun(pipeline); console.log((await outputs).a.t);`],
    [
      'startRun, and goes on later',
      `startRun(pipeline).outputs.then(({ a }) => setTimeout(() => console.log(a.t), 1));`,
    ],
    ['runPipeline', `console.log((await runPipeline(pipeline)).a.t);`],
  ])('runs to its end, and fails with advice: %s', async (_, rest) => {
    const cwd = await files({ 'p.ts': program(`'APPROVE'`, rest) });
    const { code, stdout, stderr } = await phasegateProcess(['run', 'p.ts'], { cwd });
    expect(`${stdout}${stderr}`).toBe(`made\n"p.ts" has started 1 run itself: "own" completed.\n${TO_EXPORT}\n`);
    expect(code).toBe(0);
  });

  describe.each([
    ['p.ts', 'module'],
    ['p.mts', 'module'],
    ['p.mjs', undefined],
    ['p.js', undefined],
    ['p.js', 'module'],
    ['p.cts', undefined],
    ['p.cjs', undefined],
    ['p.js', 'commonjs'],
  ])('as %s next to an installed phasegate, in a package of type %s', (file, type) => {
    const isCommon = /\.c/u.test(file) || type === 'commonjs';

    /** Writes the program. It counts in a file how often it is run. */
    async function written(last: string): Promise<string> {
      const text = `${program(`'APPROVE'`, '')} appendFileSync('count', '.'); ${last}\n`;
      const imports = `import { appendFileSync } from 'node:fs'; ${text}`;
      const common = imports.replaceAll(/import (\{[^}]*\}) from ('[^']*')/gu, 'const $1 = require($2)');
      const cwd = await files({ 'package.json': JSON.stringify({ type }), [file]: isCommon ? common : imports });
      await mkdir(join(cwd, 'node_modules'));
      await symlink(repository, join(cwd, 'node_modules/phasegate'), 'dir');
      return cwd;
    }

    it('runs to its end, once', async () => {
      const cwd = await written('startRun(pipeline).outputs.then(({ a }) => console.log(a.t));');
      const { code, stdout, stderr } = await phasegateProcess(['run', file], { cwd });
      expect(`${stdout}${stderr}`).toBe(`made\n"${file}" has started 1 run itself: "own" completed.\n${TO_EXPORT}\n`);
      expect(code).toBe(0);
      expect(await readFile(join(cwd, 'count'), 'utf8')).toBe('.');
    });

    it('is not run again if it throws', async () => {
      const cwd = await written(`startRun(pipeline); throw new Error('Late.');`);
      const { code, stderr } = await phasegateProcess(['run', file], { cwd });
      expect(stderr).toContain(`Cannot load "${file}" as it throws Error: Late.`);
      expect(code).toBe(2);
      expect(await readFile(join(cwd, 'count'), 'utf8')).toBe('.');
    });
  });

  it('fails if its run fails', async () => {
    const cwd = await files({ 'p.ts': program(`reject('No.')`, 'startRun(pipeline);') });
    const { code, stderr } = await phasegateProcess(['run', 'p.ts'], { cwd });
    expect(stderr).toContain('has started 1 run itself: "own" rejected.');
    expect(code).toBe(1);
  });

  it('is not a pipeline for other commands', async () => {
    const cwd = await files({ 'p.ts': program(`'APPROVE'`, 'await startRun(pipeline).result;') });
    const { code, stderr } = await phasegate(['check', 'p.ts'], { cwd });
    expect(stderr).toContain('Cannot load a pipeline from "p.ts" as it starts a run itself, and exports none\n');
    expect(stderr).toContain(TO_EXPORT);
    expect(code).toBe(2);
  });
});
