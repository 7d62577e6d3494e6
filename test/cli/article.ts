/** A pipeline whose work does as files in its folder say, and runs of it. */
import { existsSync } from 'node:fs';
import { readFile, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { files, phasegate, start, type Ended, type Going } from './cli.ts';

/**
 * Research, then a draft. The draft says `at work` and hangs until `go` is there; its gate escalates where `ask` is there,
 * rejects where `no` is there, and approves otherwise. Each task that runs leaves a line in `ran`.
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

/** A folder with the pipeline as `p.mjs`. @param present Files that are there. */
export function article(...present: readonly string[]): Promise<string> {
  return files({ 'p.mjs': ARTICLE, ...Object.fromEntries(present.map((name) => [name, ''])) });
}

/** Puts a file there. */
export function put(cwd: string, name: string, content = ''): Promise<void> {
  return writeFile(join(cwd, name), content);
}

/** Which tasks ran, and were aborted, so far. */
export async function ran(cwd: string): Promise<readonly string[]> {
  return (await readFile(join(cwd, 'ran'), 'utf8')).trimEnd().split('\n');
}

/** Starts a command and waits until it has printed a text. */
export async function startUntil(args: readonly string[], text: string, cwd: string): Promise<Going> {
  const going = start(args, { cwd });
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    going.child.stdout?.on('data', (more: string) => {
      printed += more;
      if (printed.includes(text)) resolve();
    });
    void going.ended.then(({ stdout, stderr }) => reject(new Error(`It ended before it said so: ${stdout}${stderr}`)));
  });
  return going;
}

/** A run of the article that was left while it worked. @returns Its id. */
export async function leftAtWork(cwd: string): Promise<string> {
  const { child, ended } = await startUntil(['run', 'p.mjs'], 'at work', cwd);
  child.kill('SIGINT');
  return idIn(await ended);
}

/** A run of the article that has come to its end, or waits. @returns Its id. */
export async function ranTo(cwd: string, code: number): Promise<string> {
  const ended = await phasegate(['run', 'p.mjs'], { cwd });
  if (ended.code !== code) throw new Error(`It ended with ${ended.code}: ${ended.stdout}${ended.stderr}`);
  return idIn(ended);
}

/** The id of the run that a command has shown. */
export function idIn({ stdout }: Pick<Ended, 'stdout'>): string {
  const id = /\brun (\w{26}) of/u.exec(stdout)?.[1];
  if (id === undefined) throw new Error(`There is no run in: ${stdout}`);
  return id;
}

/** A text that has another in it. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

/** A text of a form. */
export function matching(form: RegExp): unknown {
  return expect.stringMatching(form);
}

/** An object that has such fields, and others. */
export function containingFields(fields: Readonly<Record<string, unknown>>): unknown {
  return expect.objectContaining(fields);
}

/** Resolves when a file is there. */
export async function untilThereIs(cwd: string, name: string): Promise<void> {
  for await (const change of watch(cwd)) if (change.filename === name && existsSync(join(cwd, name))) return;
}
