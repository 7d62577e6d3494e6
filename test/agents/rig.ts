/**
 * Scripted agents: real programs that do what a test says.
 *
 * @module
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import { onTestFinished } from 'vitest';
import type { Asked, Step } from './script.ts';

/** A scripted program. */
export interface Scripted {
  /** The words of its command line. */
  readonly program: readonly [string, ...string[]];
  /** The directory of its work. */
  readonly cwd: string;
  /** A path for a file of the test, outside of that directory. */
  readonly file: (name: string) => string;
  /** All questions so far. */
  readonly asked: () => readonly Asked[];
}

/** A folder that is removed after the test. */
export function folderOfTest(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'phasegate-agent-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a program that does these turns, one for each time that it is started. */
export function scripted(...turns: readonly (readonly Step[])[]): Scripted {
  return scriptedIn(folderOfTest(), turns);
}

/** Makes a program in a folder. */
export function scriptedIn(folder: string, turns: readonly (readonly Step[])[]): Scripted {
  const [cwd, asked, script, program] = ['work', 'asked', 'script.json', 'program.mjs'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  mkdirSync(cwd);
  writeFileSync(script, JSON.stringify({ turns, asked }));
  writeFileSync(program, CODE);
  return {
    program: [process.execPath, program, script],
    cwd,
    file: (name) => join(folder, name),
    asked: () =>
      existsSync(asked)
        ? readFileSync(asked, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Asked)
        : [],
  };
}

// --- internal ---

const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));
/** The program without its types, as no loader has to start first then. */
const { code: CODE } = await transformWithOxc(readFileSync(PROGRAM, 'utf8'), PROGRAM);
