/**
 * A scripted agent: a program whose first argument is a script, and whose others are those of a profile.
 *
 * The script is JSON: a list of turns, one for each start of the program, each a list of steps. `rig.ts` writes it.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Script, Step } from './script.ts';

const [script = '', ...args] = process.argv.slice(2);
const { turns, asked } = JSON.parse(readFileSync(script, 'utf8')) as Script;
const turn = existsSync(asked) ? readFileSync(asked, 'utf8').split('\n').length - 1 : 0;
const steps = turns[turn] ?? [];
let prompt = '';
if (steps[0]?.type !== 'ignoreInput') for await (const piece of process.stdin.setEncoding('utf8')) prompt += piece;
// A command agent may give it as an argument, or as the path of a file.
if (args[0] === '--prompt') prompt = args[1] ?? '';
if (args[0] === '--prompt-file') prompt = readFileSync(args[1] ?? '', 'utf8');
appendFileSync(asked, `${JSON.stringify(question())}\n`);
for (const step of steps) await take(step);

// --- internal ---

function question(): Asked {
  const env = Object.entries(process.env).flatMap(([name, value = '']) =>
    name.startsWith('PHASEGATE_') ? [[name, value] as const] : [],
  );
  const at = args.indexOf('--output-schema');
  const schema: unknown = at === -1 ? undefined : JSON.parse(readFileSync(args[at + 1] ?? '', 'utf8'));
  return { prompt, args, env: Object.fromEntries(env), cwd: process.cwd(), schema };
}

async function take(step: Step): Promise<void> {
  switch (step.type) {
    case 'ignoreInput':
      return;
    case 'json':
      return write(
        `${JSON.stringify(step.line, (_, value: unknown) => (typeof value === 'string' ? filled(value) : value))}\n`,
      );
    case 'text':
      return write(filled(step.text));
    case 'bytes':
      return write(Buffer.from(step.base64, 'base64'));
    case 'file':
      return write(readFileSync(step.path));
    case 'giant':
      return write(`${JSON.stringify({ type: 'giant', text: 'x'.repeat(step.length) })}\n`);
    case 'flood': {
      const some = `${JSON.stringify(step.line)}\n`.repeat(1000);
      for (let written = 0; written < step.count; written += 1000) await write(some);
      return;
    }
    case 'stderr':
      return write(step.text, process.stderr);
    case 'deaf':
      process.on('SIGTERM', () => undefined);
      return;
    case 'background':
      spawn(process.execPath, ['--eval', deafChild(step.path)], { stdio: 'inherit' }).unref();
      return fileAt(step.path);
    case 'create':
      writeFileSync(step.path, step.content);
      return;
    case 'waitFor':
      return fileAt(step.path);
    case 'hang':
      setInterval(() => undefined, 1_000_000);
      return new Promise(() => undefined);
    case 'kill':
      process.kill(process.pid, step.signal);
      return new Promise(() => undefined);
    case 'exit':
      process.exit(step.code);
  }
}

/** Writes, and waits until the system has taken it. */
function write(data: string | Uint8Array, to: NodeJS.WriteStream = process.stdout): Promise<void> {
  return new Promise((resolve) => void to.write(data, () => resolve()));
}

/** Puts facts of the turn in their places. */
function filled(text: string): string {
  return text
    .replaceAll('<nonce>', () => /"nonce": "([0-9a-f-]{36})"/u.exec(prompt)?.[1] ?? 'none')
    .replaceAll('<mark>', () => process.env['PHASEGATE_AGENT'] ?? 'none')
    .replaceAll('<prompt>', () => prompt);
}

/** A child that is deaf to SIGTERM and never ends. It writes its id. */
function deafChild(path: string): string {
  return `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(path)}, String(process.pid)); setInterval(() => {}, 1e6)`;
}

async function fileAt(path: string): Promise<void> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await sleep(5);
}
