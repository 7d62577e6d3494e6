import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  forkRun,
  human,
  phase,
  resumeRun,
  startRun,
  task,
  type Answer,
  type Pipeline,
  type Run,
  memoryStore,
  readRun,
} from '../src/index.ts';
import { answerItem, itemDetail, type InboxItem, type Reply } from '../src/inbox.ts';
import { attemptLines } from '../src/cli/show/attempt-lines.ts';
import { foldAttempts } from '../src/projections/run/attempts.ts';
import { createEventLines } from '../src/cli/show/event-lines.ts';
import { plain } from '../src/cli/terminal/line.ts';
import { detailOf } from '../src/store/pending-answers.ts';
import { idle } from './rig.ts';
import { replayDifference } from './replay-difference.ts';

/** A pipeline whose `draft` a person reviews. `print` needs it. */
function letter(more: { readonly also?: boolean } = {}): Pipeline<unknown> {
  const ada = task('ada', { run: human<Answer>({ question: 'Is it good?' }) });
  return definePipeline({
    name: 'letter',
    phases: [
      phase('draft', {
        tasks: [
          task('text', {
            output: z.string().transform((text) => text.trim()),
            run: ({ attempt }) => `text ${attempt}`,
          }),
          task('title', { run: () => 'title' }),
        ],
        review: more.also ? { by: [ada, task('model', { run: () => approve() })] } : { by: ada },
      }),
      phase('print', { after: ['draft'], tasks: [task('p', { run: ({ inputs }) => inputs['draft'] ?? null })] }),
    ],
  });
}

const edit: Reply = { type: 'decide', decision: 'APPROVE', outputs: { text: '  better ' } };
const better = { draft: { text: 'better', title: 'title' }, print: { p: { text: 'better', title: 'title' } } };

describe('a person who is a reviewer', () => {
  it('may approve with other outputs, as their schemas return them', async () => {
    const store = memoryStore();
    const pipeline = letter();
    const run = startRun(pipeline, { store, runId: 'r' });
    const item = await itemOf(run);
    expect(itemDetail(await readRun(store, 'r'), item).choices.map(({ answer }) => answer)).toContain('edit');
    await run.answer(item.id, edit, { by: 'ada', nonce: item.nonce });
    const result = await run.result;
    expect(result).toMatchObject({ status: 'completed', outputs: better });
    const records = await readRun(store, 'r');
    const decided = records.flatMap(({ event }) => (event.type === 'review.decided' ? event : []));
    expect(decided[0]).toMatchObject({ verdict: approve(), by: 'gate', edited: { text: 'better' } });
    expect(decided[0]?.verdicts).toEqual({ ada: approve() });
    const closed = (await store.item(item.id)) ?? item;
    expect(closed).toMatchObject({ outcome: 'approved with edits: text', who: 'ada' });
    expect((await detailOf(store, closed)).attempts[0]).toMatchObject({
      outputs: better.draft,
      replaced: { text: 'text 0' },
    });
    const told = createEventLines();
    expect(records.map(told).find((line) => line.includes('verdict'))).toMatch(
      /draft: verdict: approved with edits: text$/u,
    );
    const fold = foldAttempts();
    for (const record of records) fold.apply(record);
    const lines = attemptLines(fold.attempts()).map(plain).join('\n');
    expect(lines).toMatch(/better[\s\S]*verdict: approved with edits: text/u);
    expect(lines).not.toContain('text 0');
    expect(replayDifference(pipeline, records, result)).toBeNull();
  });

  it.each([true, false])('may do so from another process, also if no process works on the run (%j)', async (left) => {
    const store = memoryStore();
    const run = startRun(letter(), { store, runId: 'r' });
    const item = await itemOf(run);
    if (left) {
      run.suspend();
      await run.result;
    }
    await answerItem(store, item.id, edit, { nonce: item.nonce });
    const last = left ? await resumeRun(store, 'r', letter()) : run;
    expect((await last.result).outputs).toEqual(better);
  });

  it('has done so at any end of the process after the answer was stored', async () => {
    const store = memoryStore();
    const run = startRun(letter(), { store, runId: 'r' });
    await run.answer((await itemOf(run)).id, edit);
    await run.result;
    const records = await readRun(store, 'r');
    const given = records.findIndex(({ event }) => event.type === 'task.answered');
    for (const { seq } of records.slice(given, -1)) {
      const runId = await forkRun(store, 'r', { at: seq });
      const again = await resumeRun(store, runId, letter());
      expect((await again.result).outputs).toEqual(better);
    }
    expect(records.length - given).toBeGreaterThan(4);
  });

  it.each<[string, unknown]>([
    ['with a retry', { ...edit, decision: 'RETRY: more' }],
    ['of a task that there is not', { ...edit, outputs: { nothing: '' } }],
    ['that a schema refuses', { ...edit, outputs: { text: 1 } }],
  ])('cannot give outputs %s', async (_, reply) => {
    const run = startRun(letter());
    const item = await itemOf(run);
    await expect(run.answer(item.id, reply as Reply)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect(run.inbox()).toEqual([item]);
    run.cancel();
    await run.result;
  });

  it('cannot give outputs if there are other reviewers, who would not have seen them', async () => {
    const store = memoryStore();
    const run = startRun(letter({ also: true }), { store, runId: 'r' });
    const item = await itemOf(run);
    await expect(run.answer(item.id, edit)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect(itemDetail(await readRun(store, 'r'), item).choices.map(({ answer }) => answer)).not.toContain('edit');
    await run.answer(item.id, { type: 'decide', decision: 'APPROVE' });
    expect((await run.result).outputs).toMatchObject({ draft: { text: 'text 0' } });
  });
});

describe('a reviewer that is not a person', () => {
  it('cannot change the outputs under review', async () => {
    const draft = phase('draft', {
      tasks: [task('text', { run: () => 'text' })],
      review: () => ({ ...approve(), outputs: { text: 'better' } }),
    });
    const run = startRun(definePipeline({ name: 'p', phases: [draft] }));
    const { outputs, phases } = await run.result;
    expect(outputs).toEqual({});
    expect(phases['draft']).toMatchObject({ status: 'failed', error: { code: 'DECISION_INVALID' } });
    expect(phases['draft']?.error?.message).toContain('there is no field "outputs"');
  });
});

// --- internal ---

async function itemOf(run: Run<unknown>): Promise<InboxItem> {
  for (;;) {
    const [item] = run.inbox();
    if (item) return item;
    await idle();
  }
}
