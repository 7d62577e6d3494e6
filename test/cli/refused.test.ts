/** Commands that are refused: what they say is fit for a terminal, and for whoever collects runs by their id. */
import { describe, expect, it } from 'vitest';
import { files, phasegate, type Ended } from './cli.ts';

const ESC = '\u001B';
const EVIL = `a${ESC}[31mb${ESC}]0;title\u0007\u009B5m`;

function moduleOf(name: string, more = ''): string {
  return `import { definePipeline, escalate, phase, task } from 'phasegate';
    export default definePipeline({ name: ${JSON.stringify(name)}, phases: [
      phase('draft', { tasks: [task('write', { run: () => 'text' })]${more} }),
    ] });`;
}

/** Whether a terminal would obey something in it. */
function isObeyed({ stdout, stderr }: Ended): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  return /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u.test(stdout + stderr);
}

describe('what an error says', () => {
  it.each([
    ['an option', ['run', 'p.mjs', `--${EVIL}`], "error: unknown option '--ab"],
    ['a command', [EVIL], "error: unknown command 'ab"],
    ['a file', ['run', `${EVIL}.mjs`], 'Cannot load "ab'],
    ['what a module throws', ['run', 'throws.mjs'], 'as it throws Error: red\n  and indented'],
    ['the name of a pipeline', ['run', 'name.mjs'], 'Cannot define pipeline "ab'],
    ['a file that ends the process', ['run', `exits${ESC}[31m.mjs`], 'as it ends the process'],
    ['an input', ['run', 'p.mjs', '--input', EVIL], 'Cannot read --input'],
  ])('brings along nothing that a terminal obeys, as of %s', async (_, args, text) => {
    const cwd = await files({
      'p.mjs': moduleOf('article'),
      'throws.mjs': `throw new Error(${JSON.stringify(`${ESC}[31mred\n  and indented`)});`,
      'name.mjs': moduleOf(EVIL, ', after: 1'),
      [`exits${ESC}[31m.mjs`]: 'process.exit(0)',
    });
    const ended = await phasegate(args, { cwd });
    expect(ended.stderr).toContain(text);
    expect(isObeyed(ended)).toBe(false);
    expect(ended.code).toBe(2);
  });

  it('brings along nothing that a terminal obeys, as of the id of a run', async () => {
    const cwd = await files({ 'p.mjs': moduleOf('article') });
    await phasegate(['run', 'p.mjs', '--run-id', EVIL], { cwd });
    const ended = await phasegate(['cancel', 'latest'], { cwd });
    expect(ended.stderr).toContain('Cannot cancel run ab as');
    expect(isObeyed(ended)).toBe(false);
  });

  it('brings along nothing that a terminal obeys, as of what a person is asked', async () => {
    const cwd = await files({ 'p.mjs': moduleOf('article', `, review: () => escalate(${JSON.stringify(EVIL)})`) });
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    const ended = await phasegate(['inbox', 'answer', 'r1:', '--value', '3'], { cwd });
    expect(ended.code).toBe(2);
    expect(isObeyed(ended)).toBe(false);
  });
});
