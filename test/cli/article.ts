/**
 * A pipeline that is controlled by files in its folder, and runs of it.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { files, phasegate, says, start, type Ended, type Going } from './cli.ts';

/**
 * The source of the pipeline: research, then a draft.
 *
 * The draft prints `at work` and waits until the file `go` exists. Its gate escalates if `ask` exists, rejects if
 * `no` exists, and otherwise approves. Each task appends a line to the file `ran`.
 */
const ARTICLE = `
import { definePipeline, escalate, phase, reject, task } from 'phasegate';
import { appendFileSync, existsSync } from 'node:fs';
const at = (name) => new URL(name, import.meta.url);
const has = (name) => existsSync(at(name));
const ran = (name) => appendFileSync(at('ran'), name + '\\n');
const research = phase('research', { tasks: [task('read', { run: () => { ran('read'); return 'notes'; } })] });
const draft = phase('draft', {
  after: [research],
  tasks: [task('write', { run: async ({ signal, report }) => {
    ran('write');
    report({ progress: 'at work' });
    if (!has('go')) await new Promise((_, no) => {
      const hang = setInterval(() => {}, 1e6);
      signal.addEventListener('abort', () => { clearInterval(hang); ran('aborted'); no(signal.reason); });
    });
    return 'text';
  } })],
  review: () => has('ask') ? escalate('Legal must see this.') : has('no') ? reject('Not like this.') : 'APPROVE',
});
export default definePipeline({ name: 'article', phases: [research, draft] });
`;

/** Creates a folder with the pipeline as `p.mjs`. @param present Names of files to create. */
export function article(...present: readonly string[]): Promise<string> {
  return files({ 'p.mjs': ARTICLE, ...Object.fromEntries(present.map((name) => [name, ''])) });
}

/** Writes a file to the folder. */
export function put(cwd: string, name: string, content = ''): Promise<void> {
  return writeFile(join(cwd, name), content);
}

/** Returns the tasks that ran or were aborted so far. */
export async function ran(cwd: string): Promise<readonly string[]> {
  return (await readFile(join(cwd, 'ran'), 'utf8')).trimEnd().split('\n');
}

/** Starts a command and waits until it has printed a text. */
export async function startUntil(args: readonly string[], text: string, cwd: string): Promise<Going> {
  const going = start(args, { cwd });
  await says(going, text);
  return going;
}

/** Starts a run of the article and leaves it during its work. @returns Its id. */
export async function leftAtWork(cwd: string): Promise<string> {
  const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
  child.kill('SIGINT');
  return idIn(await ended);
}

/** Runs the article until it ends or waits. @returns Its id. */
export async function ranTo(cwd: string, code: number): Promise<string> {
  const ended = await phasegate(['run', 'p.mjs'], { cwd });
  if (ended.code !== code) throw new Error(`It ended with ${ended.code}: ${ended.stdout}${ended.stderr}`);
  return idIn(ended);
}

/** Returns the id of the run that a command printed. */
export function idIn({ stdout }: Pick<Ended, 'stdout'>): string {
  const id = /\brun (\w{26}) of/u.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`There is no run in: ${stdout}`);
  return id;
}

/** Matches a text that contains another. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

/** Matches a text by a pattern. */
export function matching(form: RegExp): unknown {
  return expect.stringMatching(form);
}

/** Matches an object that has at least these fields. */
export function containingFields(fields: Readonly<Record<string, unknown>>): unknown {
  return expect.objectContaining(fields);
}

/** Resolves when the file exists. */
export async function untilExists(cwd: string, name: string): Promise<void> {
  for await (const change of watch(cwd)) if (change.filename === name && existsSync(join(cwd, name))) return;
}
