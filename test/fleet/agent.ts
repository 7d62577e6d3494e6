/**
 * A scripted agent: it reads its prompt, writes it down, and does what its script says for the subtask and the number of the call.
 *
 * Its argument is the folder of its scripts and notes. A script is `<subtask>.json`, a list with one entry for each call; the last one
 * repeats. `rig.ts` writes it.
 *
 * @module
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const { files = {}, say = 'Done.', fail = false, wait = false } = script[Math.min(number, script.length - 1)] ?? {};
for (const [path, text] of Object.entries(files)) {
  if (text === null) rmSync(path);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
if (wait) await new Promise((resolve) => setTimeout(resolve, 600_000));
process.stdout.write(say);
process.exitCode = fail ? 1 : 0;
