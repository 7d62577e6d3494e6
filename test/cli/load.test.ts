import { describe, expect, it } from 'vitest';
import { files, phasegate } from './cli.ts';

const DEFINE = `import { definePipeline, phase, task } from 'phasegate';
const make = (name) => definePipeline({ name, phases: [phase('draft', { tasks: [task('write', { run: () => name })] })] });
`;

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

  it('get the very library that runs them, so that what one throws the other knows', async () => {
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
});
