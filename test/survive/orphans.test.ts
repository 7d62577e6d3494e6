import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { endLeftGroups, noteGroup } from '../../src/actors/command/process-groups.ts';
import { definePipeline, forkRun, memoryStore, phase, resumeRun, startRun, task } from '../../src/index.ts';
import { command } from '../../src/node.ts';
import { thisHolder } from '../../src/store/holder.ts';
import { files, phasegateProcess, start } from '../cli/cli.ts';
import { untilExists } from '../cli/article.ts';

/**
 * A program that notes its number in the file `pids`, and whether the one before it is alive. The first one ignores SIGTERM and never
 * ends; the next one ends at once.
 */
const WORK = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const before = existsSync('pids') ? readFileSync('pids', 'utf8').trim().split('\\n').map(Number) : [];
const isAlive = (pid) => { try { return !/\\) [ZX]/.test(readFileSync('/proc/' + pid + '/stat', 'utf8')); } catch { return false; } };
appendFileSync('found', before.map(isAlive).join() + '\\n');
process.on('SIGTERM', () => {});
appendFileSync('pids', process.pid + '\\n');
if (before.length === 0) { setInterval(() => {}, 1e6); writeFileSync('at-work', ''); }
`;

let state = '';

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'phasegate-state-'));
  vi.stubEnv('XDG_STATE_HOME', state);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(state, { recursive: true });
});

const isAlive = (pid: number) => {
  try {
    // A zombie has ended; nobody may have collected it.
    return !/\) [ZX]/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const notes = () => readdirSync(join(state, 'phasegate/processes'));

describe.runIf(process.platform === 'linux')('a command whose phasegate was killed', () => {
  it('is gone before the resumed run starts it again', async () => {
    const cwd = await files({
      'work.cjs': WORK,
      'p.yaml': `name: left\nphases:\n  - name: build\n    tasks:\n      - name: make\n        command: [${process.execPath}, work.cjs]\n`,
    });
    const env = { XDG_STATE_HOME: state };
    const { child, ended } = start(['run', 'p.yaml', '--run-id', 'r'], { cwd, env });
    await untilExists(cwd, 'at-work');
    child.kill('SIGKILL');
    await ended;
    const old = Number(readFileSync(join(cwd, 'pids'), 'utf8'));
    onTestFinished(() => void (isAlive(old) && process.kill(old, 'SIGKILL')));
    expect(isAlive(old)).toBe(true);

    const { code, stderr } = await phasegateProcess(['resume', 'r'], { cwd, env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'found'), 'utf8')).toBe('\nfalse\n');
    expect(notes()).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('process groups of a run', () => {
  /** A process in a group of its own, noted for a run by a process that is gone, unless the owner is given. */
  async function left(run: string, owner?: object) {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    noteGroup(run, child.pid ?? 0);
    if (owner) rewrite((note) => ({ ...note, owner: { ...note.owner, ...owner } }));
    return child;
  }

  it('are ended if their leader has ended and a member works for the run', async () => {
    const member = `console.log(process.pid); setInterval(() => {}, 1e6)`;
    const leader = `const { spawn } = require('child_process');
      const { stdout } = spawn(process.execPath, ['-e', ${JSON.stringify(member)}]);
      stdout.once('data', (text) => console.log(String(text)));
      process.stdin.once('end', () => process.exit()).resume();`;
    for (const [run, isEnded] of [
      ['b', false],
      ['a', true],
    ] as const) {
      const child = spawn(process.execPath, ['-e', leader], {
        detached: true,
        env: { ...process.env, PHASEGATE_RUN: run },
      });
      const [text] = (await once(child.stdout, 'data')) as [Buffer];
      const pid = Number(text);
      onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
      noteGroup('a', child.pid ?? 0);
      rewrite((note) => ({ ...note, owner: { ...note.owner, ...GONE } }));
      child.stdin.end();
      await once(child, 'exit');
      expect(isAlive(pid)).toBe(true);
      await endLeftGroups('a');
      expect(isAlive(pid)).toBe(!isEnded);
    }
    expect(notes()).toEqual([]);
  });

  interface Noted {
    readonly owner: object;
    readonly group: object;
  }

  function rewrite(change: (note: Noted) => Noted): void {
    for (const name of notes()) {
      const file = join(state, 'phasegate/processes', name);
      const changed = change(JSON.parse(readFileSync(file, 'utf8')) as Noted);
      rmSync(file);
      writeFileSync(file, JSON.stringify(changed));
    }
  }

  const GONE = { start: '1' };

  it('are ended for their run only, and only if their owner is gone', async () => {
    const child = await left('a', GONE);
    await endLeftGroups('b');
    expect(child.signalCode).toBeNull();
    const ended = once(child, 'exit');
    await endLeftGroups('a');
    await ended;
    expect(child.signalCode).toBe('SIGTERM');
    expect(notes()).toEqual([]);
    const own = await left('a');
    await endLeftGroups('a');
    expect(isAlive(own.pid ?? 0)).toBe(true);
    expect(own.signalCode).toBeNull();
  });

  it.each(['', 'null', '{}', '{"owner":{"pid":', '{"owner":{},"group":{"pid":-1}}', '"'.padEnd(20_000, 'x') + '"'])(
    'are none if their note is none: %s',
    async (text) => {
      const child = await left('a', GONE);
      for (const name of notes()) writeFileSync(join(state, 'phasegate/processes', name), text);
      await endLeftGroups('a');
      expect(isAlive(child.pid ?? 0)).toBe(true);
    },
  );

  it.each([{ start: '2' }, { boot: 'another start of the machine' }, { host: 'elsewhere' }])(
    'are not taken for another process with the same number: %j',
    async (other) => {
      const child = await left('a', GONE);
      rewrite((note) => ({ ...note, group: { ...note.group, ...other } }));
      await endLeftGroups('a');
      expect(isAlive(child.pid ?? 0)).toBe(true);
      expect(child.signalCode).toBeNull();
    },
  );

  it('that another machine has are named, as they cannot be ended', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const later = { ms: 0 };
    const store = memoryStore({ now: () => Date.now() + later.ms });
    const run = startRun(waiting(), { store, runId: 'r', holder: 'process 7 on elsewhere (start 1)' });
    await vi.waitFor(async () => expect(await store.run('r')).toBeDefined());
    later.ms = 60_000;
    const resumed = await resumeRun(store, 'r', waiting());
    expect(told.mock.calls.flat().join()).toContain('process 7 on elsewhere (start 1) has not released run r');
    for (const one of [run, resumed]) one.cancel();
    await Promise.all([run.result, resumed.result]);
  });
});

describe.runIf(process.platform === 'linux')('the result of a cancelled run', () => {
  it('comes when its processes are gone, however deaf', async () => {
    const cwd = await files({ 'work.cjs': WORK });
    const run = startRun(
      definePipeline({
        name: 'deaf',
        phases: [phase('a', { tasks: [task('t', { run: command([process.execPath, 'work.cjs'], { cwd }) })] })],
      }),
    );
    await untilExists(cwd, 'at-work');
    const pid = Number(readFileSync(join(cwd, 'pids'), 'utf8'));
    run.cancel();
    expect((await run.result).status).toBe('cancelled');
    expect(isAlive(pid)).toBe(false);
    expect(notes()).toEqual([]);
  });
});

describe('a lease of a process that was killed while it copied a run', () => {
  it('is free at once', async () => {
    const store = memoryStore();
    await startRun(definePipeline({ name: 'x', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] }), {
      store,
      runId: 'r',
    }).result;
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    await store.acquire('copy', `process ${gone.pid} on ${hostname()}`, 60_000);
    expect(await forkRun(store, 'r', { at: 1, runId: 'copy' })).toBe('copy');
    await store.acquire('held', thisHolder(), 60_000);
    await expect(forkRun(store, 'r', { at: 1, runId: 'held' })).rejects.toMatchObject({ code: 'RUN_LEASED' });
  });
});

// --- internal ---

function waiting() {
  const run = ({ signal }: { signal: AbortSignal }) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('It was stopped.')));
    });
  return definePipeline({ name: 'waiting', phases: [phase('a', { tasks: [task('t', { run })] })] });
}
