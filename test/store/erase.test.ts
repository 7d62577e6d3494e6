/** After remove() and compact() no file of a store has a byte of the run, also if another process reads meanwhile. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerItem } from '../../src/inbox.ts';
import { definePipeline, escalate, human, phase, retry, startRun, task } from '../../src/index.ts';
import type { RunStore } from '../../src/store/port.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { infoOf, openItem, recordOf } from '../../src/testing/store/trial.ts';
import { phasegate } from '../cli/cli.ts';

let folder = '';
let file = '';
const opened: RunStore[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phasegate-erase-'));
  file = join(folder, 'runs.db');
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const one of children.splice(0)) {
    one.kill('SIGKILL');
    if (one.exitCode === null && one.signalCode === null) await once(one, 'exit');
  }
  rmSync(folder, { recursive: true });
});

function open(): RunStore {
  const store = sqliteStore(file);
  opened.push(store);
  return store;
}

/** A run with a marker in its input, outputs, feedback, lessons, artifacts, questions and answers. */
const marked = (marker: string) =>
  definePipeline({
    name: 'marked',
    phases: [
      phase('write', {
        tasks: [
          task('text', {
            run: ({ attempt, report }) => {
              report({ artifact: { name: 'note', content: `${marker} shared ${'y'.repeat(9000)}` }, progress: marker });
              return { small: `${marker} small`, large: `${marker} large ${'x'.repeat(60_000)}`, attempt };
            },
          }),
        ],
        review: {
          maxRetries: 1,
          strategy: 'reflexion',
          reflect: () => `${marker} lesson`,
          by: ({ attempt }) => (attempt === 0 ? retry(`${marker} feedback`) : escalate(`${marker} question`)),
        },
      }),
      phase('ask', { after: ['write'], tasks: [task('value', { run: human({ question: `${marker} ask` }) })] }),
    ],
  });

/** Keeps a run, and answers its first question: its message is in the store and not yet applied. */
async function keep(store: RunStore, runId: string, marker: string): Promise<void> {
  const run = startRun(marked(marker), {
    store,
    runId,
    input: { marker: `${marker} input` },
    attended: true,
    memory: `${marker} scope`,
  });
  for await (const { event } of run) if (event.type === 'phase.escalated') break;
  run.suspend();
  await run.result;
  const [item] = await store.inbox({ runId, open: true });
  await answerItem(
    store,
    item?.id ?? '',
    { type: 'decide', decision: `RETRY: ${marker} answer` },
    { by: `${marker} person` },
  );
}

/** Names the files of the store that have some text. */
const filesWith = (marker: string): readonly string[] =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(marker));

/** Starts another process that reads the store, and goes on to see its state of now. */
async function reader(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, 'look', file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const { value } = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()) as {
    value: string;
  };
  expect(value).toBe('looks');
  return child;
}

describe('remove() and compact()', () => {
  it.each([1, 12])('leave no byte of a run in any file, among %i others', async (others) => {
    const store = open();
    for (let at = 0; at < others; at += 1) await keep(store, `other-${at}`, `KEPT${at}`);
    await keep(store, 'MARK-run', 'MARK');
    for (let at = others; at < 2 * others; at += 1) await keep(store, `a-other-${at}`, `KEPT${at}`);
    expect(filesWith('MARK')).not.toEqual([]);
    expect(await store.remove('MARK-run')).toBe(true);
    await store.forget?.({ runId: 'MARK-run' });
    expect(await store.compact?.()).toEqual({ freed: expect.any(Number) as number, unused: 0 });
    expect(filesWith('MARK')).toEqual([]);
    expect(filesWith('KEPT0')).toEqual(['runs.db']);
    expect(await store.runs()).toHaveLength(2 * others);
    await keep(store, 'next', 'NEXT');
  });

  it('leave no copy of a row that moved between pages', async () => {
    const store = open();
    const pick = (at: number) =>
      `${at % 2 === 0 ? 'MARK' : 'KEPT'}-${(at * 7919) % 1009}-${'x'.repeat((at * 31) % 60)}`;
    const ids = Array.from({ length: 120 }, (_, at) => pick(at));
    for (const seq of [1, 2, 3])
      for (const id of ids) {
        const records = [recordOf(id, seq, `${id}${'z'.repeat((id.length * 97 * seq) % 3000)}`)];
        await store.append({ runId: id, records, info: infoOf(id, seq), items: [openItem(id, seq)], artifacts: [] });
      }
    for (const id of ids) if (id.startsWith('MARK')) await store.remove(id);
    expect(await store.compact?.()).toMatchObject({ unused: 0 });
    expect(filesWith('MARK')).toEqual([]);
    expect(await store.runs()).toHaveLength(60);
  });

  it('say so while a process works on a run, and are complete after that', async () => {
    const store = open();
    await keep(store, 'r', 'MARK');
    const lease = await store.acquire('busy', 'somebody', 60_000);
    await store.remove('r');
    await store.forget?.({ runId: 'r' });
    expect(await store.compact?.()).toMatchObject({ unused: 0, pending: 'at-work' });
    await store.release(lease);
    expect(await store.compact?.()).toEqual({ freed: expect.any(Number) as number, unused: 0 });
    expect(filesWith('MARK')).toEqual([]);
  });

  it('wait for another process that reads, and say so', async () => {
    const store = open();
    await keep(store, 'r', 'MARK');
    const child = await reader();
    await store.remove('r');
    await store.forget?.({ runId: 'r' });
    expect(await store.compact?.()).toMatchObject({ pending: 'read' });
    expect(filesWith('MARK')).not.toEqual([]);
    child.stdin?.end();
    await once(child, 'exit');
    await expect.poll(() => filesWith('MARK'), { timeout: 20_000 }).toEqual([]);
    expect(await store.compact?.()).toEqual({ freed: 0, unused: 0 });
  });

  it('are what `phasegate rm` does, which says if another process reads', async () => {
    const store = open();
    for (const id of ['r1', 'r2']) await keep(store, id, 'MARK');
    await store.forget?.({ scope: 'MARK scope' });
    await store.close();
    const child = await reader();
    const said =
      'Files of the store may still have text of removed runs: another process reads it, so run gc again after that\n';
    expect((await phasegate(['rm', 'r1', 'r2', '--store', file], { cwd: folder })).stdout).toContain(said);
    child.stdin?.end();
    await once(child, 'exit');
    const { stdout } = await phasegate(['gc', '--keep', '100d', '--store', file], { cwd: folder });
    expect(stdout).not.toContain(said);
    expect(filesWith('MARK')).toEqual([]);
  });
});
