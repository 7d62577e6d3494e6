/** Output of programs that have ended while the event loop was busy. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProcess, type ProcessOptions } from '../src/actors/command/process.ts';

const isZombie = (pid: number) => /\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

/** Blocks the event loop. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it.runIf(process.platform === 'linux')('is read, though the end of the program is seen first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-unread-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const go = join(folder, 'go');
  const pids = { first: 0, second: 0 };
  const start = (script: string, more: Partial<ProcessOptions>) =>
    runProcess({
      line: ['/bin/sh', '-c', script],
      cwd: folder,
      env: {},
      stdin: undefined,
      signal: new AbortController().signal,
      timeout: 0,
      maxOutputBytes: 1000,
      ...more,
    });
  const second = start(`while [ ! -e go ]; do sleep 0.01; done; printf Hello.`, {
    onStart: (pid) => (pids.second = pid),
  });
  const first = start('printf x', {
    // Its output and its end are found in the same turn: it has ended before the event loop looks.
    onStart(pid) {
      pids.first = pid;
      while (!isZombie(pid)) block(5);
    },
    // In this turn the second program ends as well. Its end is found with that of the first, before its output is looked for.
    onOutput() {
      writeFileSync(go, '');
      while (!isZombie(pids.second)) block(5);
      setImmediate(() => block(300));
    },
  });
  expect(existsSync(go)).toBe(false);
  expect(await first).toMatchObject({ exitCode: 0, stdout: 'x' });
  expect(await second).toMatchObject({ exitCode: 0, stdout: 'Hello.' });
});
