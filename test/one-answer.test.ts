import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  definePipeline,
  escalate,
  human,
  phase,
  resumeRun,
  startRun,
  task,
  type Pipeline,
  type Run,
  memoryStore,
  readRun,
} from '../src/index.ts';
import { answerItem, type InboxItem, type Reply } from '../src/inbox.ts';
import type { RunStore } from '../src/store.ts';
import { sqliteStore } from '../src/sqlite.ts';
import { idle, simulatedTime } from './rig.ts';

const root = mkdtempSync(join(tmpdir(), 'phasegate-answer-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('of two answers to one item', () => {
  it('the first counts, although the run ends before its running work has stopped', async () => {
    let hears: (output: string) => void = () => undefined;
    const deaf = new Promise<string>((resolve) => (hears = resolve));
    const run = startRun(
      definePipeline({
        name: 'spent',
        limits: { tokens: 5 },
        policy: { onLimit: 'escalate' },
        phases: [
          phase('draft', {
            tasks: [
              // This task ignores its signal.
              task('deaf', { run: () => deaf }),
              task('dear', { estimate: { tokens: 10 }, run: () => 'x' }),
            ],
            mode: 'parallel',
          }),
        ],
      }),
    );
    const item = await itemOf(run);
    await run.decide('tokens', 'REJECT: too dear', { by: 'ada' });
    expect(run.inbox()).toEqual([]);
    await expect(run.answer(item.id, { type: 'abort' })).rejects.toMatchObject({ code: 'ANSWERED' });
    expect(await run.result).toMatchObject({ status: 'exhausted', limit: 'tokens' });
    hears('late');
  });

  it('that of another handle wins over run.decide(), which reports so', async () => {
    const file = join(root, 'handles.db');
    const store = sqliteStore(file);
    const run = startRun(gated(), { store, runId: 'r' });
    const item = await itemOf(run);
    const other = sqliteStore(file);
    await answerItem(other, item.id, { type: 'decide', decision: 'REJECT: no' }, { by: 'bob' });
    await expect(run.decide('draft', 'APPROVE', { by: 'ada' })).rejects.toMatchObject({ code: 'ANSWERED' });
    expect((await run.result).status).toBe('rejected');
    expect(await decidersOf(store, run.id)).toEqual(['bob']);
    await other.close();
    await store.close();
  });

  it('that of run.decide() wins over another handle, which reports so', async () => {
    const file = join(root, 'decided.db');
    const store = sqliteStore(file);
    const run = startRun(gated(), { store, runId: 'r' });
    const item = await itemOf(run);
    const other = sqliteStore(file);
    await run.decide('draft', 'APPROVE', { by: 'ada' });
    const late = answerItem(other, item.id, { type: 'decide', decision: 'REJECT: no' }, { by: 'bob' });
    await expect(late).rejects.toMatchObject({ code: 'ANSWERED' });
    expect((await run.result).status).toBe('completed');
    expect(await decidersOf(store, run.id)).toEqual(['ada']);
    await other.close();
    await store.close();
  });

  it('one wins among processes, and only that process is told so', async () => {
    const file = join(root, 'processes.db');
    const store = sqliteStore(file);
    const run = startRun(gated(), { store, runId: 'r' });
    const item = await itemOf(run);
    const others = ['bob', 'cyd'].map((who) => answerElsewhere(file, item.id, who));
    await Promise.all(others.map(({ ready }) => ready));
    for (const { go } of others) go();
    const mine = await run.decide('draft', 'APPROVE', { by: 'ada' }).then(() => 'ada', codeOf);
    const told = [mine, ...(await Promise.all(others.map(({ told: one }) => one)))];
    await run.result;
    const winners = told.filter((one) => one !== 'ANSWERED');
    expect(winners).toHaveLength(1);
    expect(await decidersOf(store, run.id)).toEqual(winners);
    await store.close();
  });

  it('the first of the same process wins', async () => {
    const store = memoryStore();
    const run = startRun(gated(), { store });
    await itemOf(run);
    const both = await Promise.all([
      run.decide('draft', 'REJECT: no', { by: 'ada' }).then(() => 'ada', codeOf),
      run.decide('draft', 'APPROVE', { by: 'bob' }).then(() => 'bob', codeOf),
    ]);
    expect(both).toEqual(['ada', 'ANSWERED']);
    expect((await run.result).status).toBe('rejected');
  });

  it('a single one does not count twice if the store is slow and the run reads its own record', async () => {
    const inner = memoryStore();
    const held: (() => void)[] = [];
    const heard: unknown[] = [];
    const store: RunStore = {
      ...inner,
      async messages(runId, after) {
        const messages = await inner.messages(runId, after);
        heard.push(...messages);
        return messages;
      },
      async post(message) {
        await inner.post(message);
        await new Promise<void>((resolve) => held.push(resolve));
      },
    };
    const run = startRun(gated(), { store, runId: 'r' });
    const item = await itemOf(run);
    const given = run.answer(item.id, { type: 'decide', decision: 'APPROVE' }, { by: 'ada' });
    while (held.length === 0 || heard.length === 0) await idle();
    await idle();
    held.forEach((go) => go());
    await given;
    expect((await run.result).status).toBe('completed');
  });
});

describe('an answer at the deadline', () => {
  it('counts until the deadline takes effect', async () => {
    const inner = memoryStore();
    const first: { given?: Promise<unknown> } = {};
    // The answer is stored after the run has looked for answers.
    const store: RunStore = {
      ...inner,
      async messages(runId, after) {
        const messages = await inner.messages(runId, after);
        const [item] = await inner.inbox({ runId, open: true });
        if (item?.about === 'draft' && time.clock.now() >= 10)
          first.given ??= answerItem(inner, item.id, { type: 'decide', decision: 'APPROVE' }, { by: 'ada' });
        await first.given;
        return messages;
      },
    };
    const time = simulatedTime();
    const run = startRun(gated({ expireAfterMs: 10, onExpiry: 'reject' }), { store, clock: time.clock });
    await itemOf(run);
    await time.pass(10);
    expect((await run.result).status).toBe('completed');
    expect(await decidersOf(inner, run.id)).toEqual(['ada']);
  });

  it.each<[string, Pipeline<unknown>, string]>([
    ['an escalation', gated({ expireAfterMs: 10, onExpiry: 'reject' }), 'rejected'],
    ['a reviewer', reviewed(), 'rejected'],
    ['a task', asked(), 'failed'],
  ])('is refused once the deadline took effect, about %s, even as its last step', async (_, pipeline, status) => {
    const inner = memoryStore();
    const time = simulatedTime();
    const first: { run?: Run<unknown> } = {};
    // The process ends as soon as the deadline has taken effect.
    const store: RunStore = {
      ...inner,
      async post(message) {
        await inner.post(message);
        first.run?.suspend();
      },
    };
    const run = startRun(pipeline, { store, runId: 'r', clock: time.clock });
    first.run = run;
    const item = await itemOf(run);
    await time.pass(10);
    expect((await run.result).status).toBe('suspended');
    const reply: Reply = item.kind === 'task' ? { type: 'value', value: 1 } : { type: 'decide', decision: 'APPROVE' };
    await expect(answerItem(inner, item.id, reply)).rejects.toMatchObject({ code: 'ANSWERED' });
    const again = await resumeRun(inner, 'r', pipeline, { clock: time.clock });
    await time.pass(0);
    expect((await again.result).status).toBe(status);
  });
});

// --- internal ---

function gated(inbox = {}): Pipeline<unknown> {
  const draft = phase('draft', {
    tasks: [task('text', { run: () => 'text' })],
    review: { by: () => escalate('Well?'), inbox },
  });
  return definePipeline({ name: 'gated', phases: [draft] });
}

const policy = { question: 'Well?', expireAfterMs: 10, onExpiry: 'reject' } as const;

function reviewed(): Pipeline<unknown> {
  const draft = phase('draft', { tasks: [task('text', { run: () => 'text' })], review: human(policy) });
  return definePipeline({ name: 'reviewed', phases: [draft] });
}

function asked(): Pipeline<unknown> {
  return definePipeline({ name: 'asked', phases: [phase('draft', { tasks: [task('text', { run: human(policy) })] })] });
}

/** Returns the authors of decisions in the records. */
async function decidersOf(store: RunStore, runId: string): Promise<readonly (string | undefined)[]> {
  return (await readRun(store, runId)).flatMap(({ event }) =>
    event.type === 'review.decided' && event.by === 'person' ? [event.who] : [],
  );
}

/** Starts a process that answers when the test says so. */
function answerElsewhere(file: string, item: string, who: string) {
  const child = spawn(
    process.execPath,
    ['--import', 'jiti/register', fileURLToPath(new URL('answerer.ts', import.meta.url)), file, item, who],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let text = '';
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (part: Buffer) => {
      text += part.toString();
      if (text.includes('ready\n')) resolve();
    });
  });
  const told = new Promise<string>((resolve) => child.on('close', () => resolve(text.split('\n')[1] ?? '')));
  return { ready, told, go: () => child.stdin.end('go\n') };
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}

async function itemOf(run: Run<unknown>): Promise<InboxItem> {
  for (;;) {
    const [item] = run.inbox();
    if (item) return item;
    await idle();
  }
}
