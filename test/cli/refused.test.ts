/** Refused commands: their messages are safe for a terminal, and never name the id of a foreign run as their own. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyRun } from '../../src/runtime/records/copy-run.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { readRun } from '../../src/store/read-run.ts';
import { article, startUntil } from './article.ts';
import { files, phasegate, phasegateProcess, type Ended } from './cli.ts';

const STORE = join('.phasegate', 'runs.db');
/** The offset of the page size in the header of a database. */
const PAGE_SIZE_AT = 16;
const ESC = '\u001B';
const EVIL = `a${ESC}[31mb${ESC}]0;title\u0007\u009B5m`;

function moduleOf(name: string, more = ''): string {
  return `import { definePipeline, escalate, phase, task } from 'phasegate';
    export default definePipeline({ name: ${JSON.stringify(name)}, phases: [
      phase('draft', { tasks: [task('write', { run: () => 'text' })]${more} }),
    ] });`;
}

/** True if a terminal would obey something in the output. */
function isObeyed({ stdout, stderr }: Ended): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  return /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u.test(stdout + stderr);
}

describe('an error message', () => {
  it.each([
    ['an option', ['run', 'p.mjs', `--${EVIL}`], "error: unknown option '--ab"],
    ['a command', [EVIL], "error: unknown command 'ab"],
    ['a file', ['run', `${EVIL}.mjs`], 'Cannot load "ab'],
    ['what a module throws', ['run', 'throws.mjs'], 'as it throws Error: red\n  and indented'],
    ['the name of a pipeline', ['run', 'name.mjs'], 'Cannot define pipeline "ab'],
    ['a file that ends the process', ['run', `exits${ESC}[31m.mjs`], 'as it ends the process'],
    ['an input', ['run', 'p.mjs', '--input', EVIL], 'Cannot read --input'],
  ])('contains nothing that a terminal obeys, with %s', async (_, args, text) => {
    const cwd = await files({
      'p.mjs': moduleOf('article'),
      'throws.mjs': `throw new Error(${JSON.stringify(`${ESC}[31mred\n  and indented`)});`,
      'name.mjs': moduleOf(EVIL, ', after: 1'),
      [`exits${ESC}[31m.mjs`]: 'process.exit(0)',
    });
    const ended = await phasegateProcess(args, { cwd });
    expect(ended.stderr).toContain(text);
    expect(isObeyed(ended)).toBe(false);
    expect(ended.code).toBe(2);
  });

  it('contains nothing that a terminal obeys, with the id of a run', async () => {
    const cwd = await files({ 'p.mjs': moduleOf('article') });
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    // An earlier version has kept a run with this id.
    const store = sqliteStore(join(cwd, STORE));
    await copyRun(store, EVIL, await readRun(store, 'r1'), { startedAt: Date.now() });
    await store.close();
    const ended = await phasegate(['cancel', 'latest'], { cwd });
    expect(ended.stderr).toContain('Cannot cancel run ab as');
    expect(isObeyed(ended)).toBe(false);
  });

  it('contains nothing that a terminal obeys, with a question to a person', async () => {
    const cwd = await files({ 'p.mjs': moduleOf('article', `, review: () => escalate(${JSON.stringify(EVIL)})`) });
    await phasegate(['run', 'p.mjs', '--run-id', 'r1'], { cwd });
    const ended = await phasegate(['inbox', 'answer', 'r1:', '--value', '3'], { cwd });
    expect(ended.code).toBe(2);
    expect(isObeyed(ended)).toBe(false);
  });
});

describe('a run whose input its schema refuses', () => {
  it.each([[[]], [['--json']]])('prints the reason, and nothing of a run, with %j', async (flags) => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, phase, task } from 'phasegate';
const validate = (value) => (typeof value.topic === 'string' ? { value } : { issues: [{ message: 'no text', path: ['topic'] }] });
export default definePipeline({
  name: 'p',
  input: { '~standard': { version: 1, vendor: 'test', validate } },
  phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })],
});`,
    });
    expect(await phasegate(['run', 'p.mjs', '--input', 'x=1', ...flags], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot start a run of pipeline "p" as its schema refuses the input:
  topic: no text
Give it with --input key=text, --input key:=json, or --input-file.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#INPUT_INVALID
`,
    });
    expect((await phasegate(['run', 'p.mjs', '--input', 'topic=x', ...flags], { cwd })).code).toBe(0);
  });
});

describe('an input file that is no JSON', () => {
  it('is refused with what to correct in it', async () => {
    const cwd = await files({ 'p.mjs': moduleOf('article'), 'in.json': "{ topic: 'x' }" });
    const { code, stderr } = await phasegate(['run', 'p.mjs', '--input-file', 'in.json'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^Cannot read --input-file "in\.json" as JSON: .*\nCorrect it\. Keys and strings need double quotes in JSON\.\n/u,
    );
    const field = await phasegate(['run', 'p.mjs', '--input', 'topic:=x'], { cwd });
    expect(field.stderr).toContain('\nStrings need double quotes in JSON; key=text takes a string as it is.\n');
    await writeFile(join(cwd, 'in.json'), '{ "topic": "x" }');
    expect((await phasegate(['run', 'p.mjs', '--input-file', 'in.json'], { cwd })).code).toBe(0);
  });
});

describe('an argument with a NUL character', () => {
  it.each([[['show', 'a\0b']], [['graph', 'p.mjs', '-o', 'x\0.svg']], [['run', 'p.mjs', '--store', '\0.db']]])(
    'is refused: %j',
    async (args) => {
      const cwd = await files({ 'p.mjs': moduleOf('article') });
      const argument = args.find((one) => one.includes('\0'));
      expect(await phasegate(args, { cwd })).toEqual({
        code: 2,
        stdout: '',
        stderr: `Cannot read the argument ${JSON.stringify(argument)} as it has a NUL character
Leave that character out.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#INPUT_INVALID
`,
      });
    },
  );
});

describe('a run whose id is taken', () => {
  it.each([[[]], [['--json']]])('is refused before it prints anything, with %j', async (flags) => {
    const cwd = await article('go');
    await phasegate(['run', 'p.mjs', '--run-id', 'same'], { cwd });
    const before = await phasegate(['events', 'same', '--json'], { cwd });
    const ended = await phasegate(['run', 'p.mjs', '--run-id', 'same', ...flags], { cwd });
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot start run same as the store ${STORE} has a run with that id
Resume it with \`phasegate resume\`, or leave --run-id out.
Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#RUN_EXISTS
`,
    });
    expect(await phasegate(['events', 'same', '--json'], { cwd })).toEqual(before);
  });

  it('is refused while the other run works', async () => {
    const cwd = await article();
    const { child, ended } = await startUntil(['run', 'p.mjs', '--run-id', 'same'], 'at work', cwd);
    const other = await phasegate(['run', 'p.mjs', '--run-id', 'same'], { cwd });
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain('has a run with that id');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });

  it('is refused if several start at the same time: one runs, and the others print nothing of it', async () => {
    const cwd = await article('go');
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => phasegate(['run', 'p.mjs', '--json', '--run-id', 'same'], { cwd })),
    );
    expect(all.map(({ code }) => code).toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 2, 2, 2]);
    for (const { code, stdout, stderr } of all) {
      if (code === 0) continue;
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^Cannot .* run same /u);
    }
  });

  it('is refused if commands would take the id for another run', async () => {
    const { code, stderr } = await phasegate(['run', 'p.mjs', '--run-id', 'latest'], { cwd: await article('go') });
    expect(stderr).toContain("argument 'latest' is invalid");
    expect(code).toBe(2);
  });
});

describe('a store that refuses a run', () => {
  it.each([[[]], [['--json']]])('is reported without mention of a run, with %j', async (flags) => {
    const cwd = await article('go');
    await phasegate(['run', 'p.mjs', '--run-id', 'first'], { cwd });
    const file = join(cwd, STORE);
    const bytes = await readFile(file);
    // The pages of data are damaged, and the header page is not.
    await writeFile(file, bytes.fill(0xff, 2 * bytes.readUInt16BE(PAGE_SIZE_AT)));
    const ended = await phasegate(['run', 'p.mjs', ...flags], { cwd });
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(/^Cannot /u);
    expect(ended.stderr).toMatch(/\nDocs: https:\/\/\S+\/docs\/errors\.md#STORE_UNREADABLE\n$/u);
    expect(ended.code).toBe(2);
  });
});
