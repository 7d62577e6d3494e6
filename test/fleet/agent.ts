/**
 * A scripted agent: it reads its prompt, writes it down, and does what its script says for the subtask and the number of the call.
 *
 * Its argument is the folder of its scripts and notes. A script is `<subtask>.json`, a list with one entry for each call; the last one
 * repeats. `rig.ts` writes it.
 *
 * @module
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Act } from './rig.ts';

const [, , folder = '.'] = process.argv;
const task = process.env['PHASEGATE_TASK'] ?? '';
const prompt = readFileSync(0, 'utf8');
const notes = join(folder, `${task}.calls.jsonl`);
const number = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n').length : 0;
const seen = existsSync('seen.txt') ? readFileSync('seen.txt', 'utf8') : null;
appendFileSync(
  notes,
  `${JSON.stringify({ prompt, cwd: process.cwd(), seen, marked: process.env['PHASEGATE_AGENT'] })}\n`,
);

const script = JSON.parse(readFileSync(join(folder, `${task}.json`), 'utf8')) as readonly Act[];
const {
  after,
  files = {},
  say = 'Done.',
  fail = false,
  wait = false,
} = script[Math.min(number, script.length - 1)] ?? {};
if (after !== undefined) await reach(`${after}.written`);
for (const [path, text] of Object.entries(files)) {
  if (text === null) rmSync(path);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
writeFileSync(join(folder, `${task}.written`), '');
if (wait) await new Promise((resolve) => setTimeout(resolve, 600_000));
process.stdout.write(say.replaceAll('<nonce>', /"nonce": "([0-9a-f-]{36})"/u.exec(prompt)?.[1] ?? 'none'));
process.exitCode = fail ? 1 : 0;

/** Waits for a file in the folder of the notes. */
async function reach(name: string): Promise<void> {
  const changes = watch(folder);
  if (existsSync(join(folder, name))) return;
  for await (const { filename } of changes) if (filename === name) return;
}
