import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  human,
  phase,
  requestChanges,
  startRun,
  task,
  type Pipeline,
} from '../../src/index.ts';
import { itemDetail, type InboxItem, type ItemDetail } from '../../src/inbox.ts';
import type { RunRecord } from '../../src/records.ts';
import { EMPTY_DRAFT, readTyped, replyOf, type Draft } from '../../visualizations/dashboard/src/inbox/answer-draft.ts';
import { chosenChoice } from '../../visualizations/dashboard/src/inbox/chosen-choice.ts';
import { fake, idle } from '../rig.ts';

describe('replyOf()', () => {
  it.each<[Partial<Draft>, unknown]>([
    [{}, { problem: 'Choose an answer.', field: 'answer' }],
    [{ answer: 'approve' }, { reply: { type: 'decide', decision: approve() } }],
    [{ answer: 'retry' }, { problem: 'Enter what to change.', field: 'feedback' }],
    [
      { answer: 'retry', feedback: ' \n' },
      { problem: 'Enter what to change.', field: 'feedback' },
    ],
    [
      { answer: 'retry', feedback: ' more\n' },
      { reply: { type: 'decide', decision: { type: 'retry', feedback: ' more\n' } } },
    ],
    [
      { answer: 'rewind', feedback: 'more' },
      { problem: 'Choose the phase to send back.', field: 'target' },
    ],
    [
      { answer: 'rewind', target: 'plan' },
      { problem: 'Enter what to change.', field: 'feedback' },
    ],
    [
      { answer: 'rewind', target: 'plan', feedback: 'more' },
      { reply: { type: 'decide', decision: { type: 'retryPredecessor', phase: 'plan', feedback: 'more' } } },
    ],
    [
      { answer: 'reject', reason: '' },
      { problem: 'Enter a reason.', field: 'reason' },
    ],
    [{ answer: 'reject', reason: 'bad' }, { reply: { type: 'decide', decision: { type: 'reject', reason: 'bad' } } }],
    [{ answer: 'escalate', reason: 'eh' }, { reply: { type: 'decide', decision: { type: 'escalate', reason: 'eh' } } }],
    [{ answer: 'skip' }, { reply: { type: 'skip' } }],
    [{ answer: 'skip', reason: 'no need' }, { reply: { type: 'skip', reason: 'no need' } }],
    [{ answer: 'abort' }, { reply: { type: 'abort' } }],
    [{ answer: 'abort', reason: 'enough' }, { reply: { type: 'abort', reason: 'enough' } }],
    [{ answer: 'edit' }, { problem: 'Change an output, or approve the attempt as it is.', field: 'outputs' }],
    [
      { answer: 'edit', outputs: { work: { as: 'text', text: 'better' } } },
      { reply: { type: 'decide', decision: approve(), outputs: { work: 'better' } } },
    ],
    [
      { answer: 'edit', outputs: { work: { as: 'json', text: '[1, 2' } } },
      { problem: expect.stringMatching(/^This is not valid JSON: /u) as unknown, field: 'outputs', task: 'work' },
    ],
    [{ answer: 'reclassify' }, { problem: 'Choose the issue.', field: 'issue' }],
    [
      { answer: 'reclassify', issue: 'no-login' },
      { problem: 'Choose the phase that must correct it.', field: 'owner' },
    ],
    [
      { answer: 'reclassify', issue: 'gone', owner: 'plan' },
      { problem: expect.stringContaining('no open issue is called "gone"') as unknown, field: 'issue' },
    ],
  ])('parses %j', async (part, drafted) => {
    const { detail } = await escalated();
    expect(replyOf({ ...EMPTY_DRAFT, ...part }, detail)).toEqual(drafted);
  });

  it('assigns an issue to another phase', async () => {
    const { detail } = await escalated();
    const drafted = replyOf({ ...EMPTY_DRAFT, answer: 'reclassify', issue: 'no-login', owner: 'plan' }, detail);
    expect(drafted).toMatchObject({
      reply: {
        decision: { type: 'retryPredecessor', phase: 'plan', issues: [{ id: 'no-login', affectedPhase: 'plan' }] },
      },
    });
  });

  it('builds replies that the run accepts', async () => {
    const { detail, run } = await escalated();
    const drafted = replyOf(
      { ...EMPTY_DRAFT, answer: 'edit', outputs: { work: { as: 'json', text: '{"a":1}' } } },
      detail,
    );
    if (!('reply' in drafted)) throw new Error(drafted.problem);
    await run.answer(detail.item.id, drafted.reply, { nonce: detail.item.nonce });
    expect((await run.result).outputs).toMatchObject({ draft: { work: { a: 1 } } });
  });

  it('parses the output of a task: one of its choices, text, or JSON', async () => {
    const choice = (await asked({ question: 'Which?', choices: ['red', 'blue'] })).detail;
    const free = (await asked({ question: 'How many?' })).detail;
    const value = (part: Partial<Draft>, detail: Detail) =>
      replyOf({ ...EMPTY_DRAFT, answer: 'value', ...part }, detail);
    expect(value({}, choice)).toEqual({ problem: 'Choose a value.', field: 'option' });
    expect(value({ option: 'green' }, choice)).toEqual({ problem: 'Choose a value.', field: 'option' });
    expect(value({ option: 'red' }, choice)).toEqual({ reply: { type: 'value', value: 'red' } });
    expect(value({ value: { as: 'text', text: '42' } }, free)).toEqual({ reply: { type: 'value', value: '42' } });
    expect(value({ value: { as: 'json', text: '42' } }, free)).toEqual({ reply: { type: 'value', value: 42 } });
    expect(value({ value: { as: 'json', text: 'four' } }, free)).toMatchObject({ field: 'value' });
  });
});

describe('chosenChoice()', () => {
  it.each<[owner: string, runs: readonly string[]]>([
    ['', []],
    ['draft', ['draft']],
    ['plan', ['plan', 'draft']],
  ])('names the phases that run again if an issue is assigned to %j', async (owner, runs) => {
    const { detail, run } = await escalated();
    const draft: Draft = { ...EMPTY_DRAFT, answer: 'reclassify', issue: 'no-login', owner };
    expect(chosenChoice(draft, detail)).toMatchObject({ answer: 'reclassify', runs });
    // The run restarts the same phases.
    const drafted = replyOf(draft, detail);
    const { phases: before } = run.snapshot();
    if ('reply' in drafted) {
      await run.answer(detail.item.id, drafted.reply);
      await idle();
    }
    const { phases: after } = run.snapshot();
    expect(Object.keys(after).filter((name) => after[name]?.attempts !== before[name]?.attempts)).toEqual(runs);
    run.cancel();
    await run.result;
  });
});

describe('readTyped()', () => {
  it('refuses an empty text as JSON, and accepts it as text', () => {
    expect(readTyped({ as: 'json', text: ' ' })).toEqual({ problem: 'Enter JSON. An empty text is "".' });
    expect(readTyped({ as: 'text', text: '' })).toEqual({ value: '' });
  });
});

// --- internal ---

type Detail = Parameters<typeof replyOf>[1];

/** Runs until `draft` waits for a person, with an open issue of its own. */
async function escalated() {
  const issue = { id: 'no-login', severity: 'high', description: 'No login.' } as const;
  const draft = fake('draft', {
    after: ['plan'],
    verdicts: [requestChanges([issue]), requestChanges([issue])],
    onExhausted: 'escalate',
    maxRetries: 1,
  });
  return stopped(definePipeline({ name: 'rig', phases: [fake('plan').definition, draft.definition] }));
}

/** Runs until a person has to do a task. */
async function asked(question: Parameters<typeof human>[0]) {
  const draft = phase('draft', { tasks: [task('person', { run: human(question) })] });
  return stopped(definePipeline({ name: 'rig', phases: [draft] }));
}

async function stopped(pipeline: Pipeline<unknown>) {
  const run = startRun(pipeline);
  const records: RunRecord[] = [];
  run.events$.subscribe((record) => records.push(record));
  let item: InboxItem | undefined;
  while (!(item = run.inbox()[0])) await idle();
  return { run, detail: withRun(itemDetail(records, item)) };
}

/** Adds an empty run, as drafts do not depend on it. */
function withRun(detail: ItemDetail): Detail {
  return { ...detail, run: {} as Detail['run'], mayAnswer: true };
}
