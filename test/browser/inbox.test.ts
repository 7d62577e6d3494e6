/**
 * Items of the inbox in a browser: every kind of answer, the details before it, and its result.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { human, requestChanges, startRun, task, type Limits, type Policy, type Run } from '../../src/index.ts';
import type { RunStore } from '../../src/store.ts';
import type { DashboardOptions } from '../../src/server/serve.ts';
import { fake, simulatedTime, type Fake, type SimulatedTime } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

describe('an item', () => {
  it('shows its question, the attempts, the findings, and the cost', async () => {
    const { page } = await opened(draftTwice());
    await page.getByRole('heading', { level: 1, name: 'draft waits for a decision' }).waitFor();
    await says(page, 'Question', 'There is no login.');
    await says(page, 'Used so far', 'Corrections1 of 2');
    await says(page, 'Latest attempt: attempt 2', 'a second draft');
    await says(page, 'Latest attempt: attempt 2', 'confidence 0.90');
    await says(page, 'Open issues', 'No login.');
    await says(page, 'Requested changes so far', 'Add a login.');
    const changes = page.getByRole('region', { name: 'What has changed' });
    expect(await changes.getByRole('table').innerText()).toMatch(/a first draft[\s\S]*a second draft/u);
    expect(await changes.locator('del').allInnerTexts()).toEqual(['first']);
    expect(await changes.locator('ins').allInnerTexts()).toEqual(['second']);
    await changes.getByRole('radio', { name: 'lines' }).check();
    expect(await changes.locator('del').allInnerTexts()).toEqual(['a first draft']);
    await changes.getByLabel('to', { exact: true }).selectOption('attempt 1');
    await changes.getByText('Both are the same.').waitFor();
  });

  it('shows the consequences of an answer before it is sent', async () => {
    const { page } = await opened(draftTwice());
    await choose(page, 'Approve');
    await follows(page, /The run continues\.\s*Runs\s*print/u);
    await choose(page, 'Reject');
    await follows(page, /The run ends as rejected\.\s*Skips\s*print/u);
    await choose(page, 'Rewind');
    await page.getByLabel('Which phase?').selectOption('plan');
    await follows(page, /"plan" works again[\s\S]*Runs\s*plan, draft[\s\S]*Spends\s*one correction/u);
  });

  it('sends nothing until all fields are filled in, and focuses the missing one', async () => {
    const { page, run } = await opened(draftTwice());
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await alerted(page, 'Choose an answer.');
    await choose(page, 'Retry');
    await page.getByRole('button', { name: 'Send: retry' }).click();
    await alerted(page, 'Enter what to change.');
    await page.getByLabel('What to change?').and(page.locator(':focus')).waitFor();
    expect(run.inbox()).toHaveLength(1);
  });

  it.each<[answer: string, fill: (page: Page) => Promise<unknown>, outcome: string, sentence: RegExp]>([
    [
      'Retry',
      (page) => page.getByLabel('What to change?').fill('Add two.'),
      'RETRY: Add two.',
      /^Sent back to draft; /u,
    ],
    [
      'Reject',
      (page) => page.getByLabel('Why?').fill('No.'),
      'REJECT: No.',
      /^Rejected; the run has ended as rejected\.$/u,
    ],
    [
      'Skip',
      (page) => page.getByLabel('Why? (optional)').fill('no need'),
      'skipped: no need',
      /^Skipped; the run is completed\.$/u,
    ],
    [
      'Rewind',
      async (page) => {
        await page.getByLabel('Which phase?').selectOption('plan');
        await page.getByLabel('What to change?').fill('Plan a login.');
      },
      'RETRY_PREDECESSOR plan: Plan a login.',
      /^Sent back to plan; /u,
    ],
    [
      'Reclassify',
      async (page) => {
        await page.getByLabel('Which issue?').selectOption('No login.');
        await page.getByLabel('Which phase must correct it?').selectOption('plan');
      },
      'RETRY_PREDECESSOR plan',
      /^Sent back to plan/u,
    ],
  ])('takes %s', async (answer, fill, outcome, sentence) => {
    const { page, store, item } = await opened(draftTwice());
    await choose(page, answer);
    await fill(page);
    await page.getByRole('button', { name: `Send: ${answer.toLowerCase()}` }).click();
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
    await page.getByRole('region', { name: 'Answered' }).getByText(sentence).waitFor();
    const kept = await store.item(item);
    expect(kept?.who).toBe('ada');
    expect(kept?.outcome).toContain(outcome);
  });

  it('takes edited outputs, and refuses invalid JSON', async () => {
    const { page, run } = await opened([fake('draft', { outputs: [{ words: 3 }], verdicts: ['ESCALATE: Well?'] })]);
    await choose(page, 'Edit');
    await page.getByRole('button', { name: 'Send: edit' }).click();
    await alerted(page, 'Change an output, or approve the attempt as it is.');
    const field = page.getByRole('textbox', { name: 'work' });
    expect(await field.inputValue()).toBe('{\n  "words": 3\n}');
    await field.fill('{ "words": 4');
    await page.getByText(/^This is not valid JSON/u).waitFor();
    await page.getByRole('button', { name: 'Send: edit' }).click();
    await alerted(page, 'Nothing was sent. Correct the JSON of work.');
    await page.getByRole('textbox', { name: 'work (changed)' }).fill('{ "words": 4 }');
    await page.getByRole('button', { name: 'Send: edit' }).click();
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
    expect((await run.result).outputs).toEqual({ draft: { work: { words: 4 } } });
    await page.getByText('Approved with edits; the run is completed.').waitFor();
    await says(page, 'Latest attempt: attempt 1', 'words: 4');
  });

  it('asks for confirmation before it ends the run', async () => {
    const { page, run } = await opened(draftTwice());
    await choose(page, 'Abort');
    await follows(page, /^What follows\s+The run ends as cancelled: no phase starts, and running work is stopped\.$/u);
    await page.getByLabel('Why? (optional)').fill('enough');
    await page.getByRole('button', { name: 'Send: abort' }).click();
    await page.getByRole('button', { name: 'No, go back' }).click();
    expect(run.inbox()).toHaveLength(1);
    await page.getByRole('button', { name: 'Send: abort' }).click();
    await page.getByRole('button', { name: 'Yes, abort the run' }).click();
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
    expect(await run.result).toMatchObject({ status: 'cancelled', reason: 'enough' });
  });

  it('of a task takes a choice or any value, and asks again with the typed text if the run refuses it', async () => {
    const ask = (name: string, question: Parameters<typeof human>[0], output?: unknown) =>
      fake(name, { tasks: [task('person', { run: human(question), ...(output as object) })] });
    const { page, run, store, url } = await opened([
      ask('pick', { question: 'Which?', choices: ['red', 'blue'] }),
      ask('count', { question: 'How many?' }, { output: positive }),
    ]);
    const [pick, count] = run.inbox();
    // The one answer that does not end the run is preselected, and still has to be entered.
    await page.getByRole('radio', { name: /^Value/u, checked: true }).waitFor();
    await page.getByRole('button', { name: 'Send: value' }).click();
    await alerted(page, 'Choose a value.');
    await page.getByRole('radio', { name: 'blue' }).check();
    await page.getByRole('button', { name: 'Send: value' }).click();
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
    expect((await store.item(pick?.id ?? ''))?.outcome).toBe('"blue"');

    await page.getByRole('link', { name: 'Next: count / person' }).click();
    await page.getByRole('heading', { level: 1, name: 'How many?' }).waitFor();
    expect(page.url()).toBe(addressOf(url, count?.id ?? ''));
    await page.getByRole('button', { name: 'Send: value' }).click();
    await alerted(page, 'Enter a value.');
    await page.getByRole('textbox').fill('-4');
    await page.getByRole('radio', { name: 'JSON' }).check();
    await page.getByRole('button', { name: 'Send: value' }).click();
    await page.getByRole('heading', { name: 'Refused' }).waitFor();
    await page.getByRole('link', { name: 'It is asked again' }).click();
    await page.getByRole('button', { name: 'Send: value' }).waitFor();
    expect(await page.getByRole('textbox').inputValue()).toBe('-4');
    expect(await page.locator('dl.facts').innerText()).toMatch(/Latest answer\s+was refused: Cannot answer item/u);
    await page.getByRole('textbox').fill('4');
    await page.getByRole('button', { name: 'Send: value' }).click();
    await page.getByText('Nothing else waits for a person.').waitFor();
    expect((await run.result).outputs).toEqual({ pick: { person: 'blue' }, count: { person: 4 } });
  });

  it('of a task shows its inputs, and numbers attempts as the page of the run does', async () => {
    const { page, run, url } = await opened([
      fake('plan', { outputs: ['three boxes', 'four boxes'] }),
      fake('pick', {
        after: ['plan'],
        tasks: [task('person', { run: human({ question: 'Which?' }) })],
        verdicts: ['RETRY: Another.', 'RETRY_PREDECESSOR plan: One more.', 'APPROVE'],
      }),
    ]);
    const heading = 'Inputs';
    await says(page, heading, 'three boxes');
    for (const number of [1, 2]) {
      await run.answer(run.inbox()[0]?.id ?? '', { type: 'value', value: number });
      await expect.poll(() => run.inbox()[0]?.id).toBeDefined();
    }
    await page.goto(addressOf(url, run.inbox()[0]?.id ?? ''));
    await says(page, heading, 'four boxes');
    await page.getByRole('heading', { name: 'Latest attempt: attempt 3' }).waitFor();
    await says(page, 'Requested changes so far', 'pick of attempt 1');
    await says(page, 'Requested changes so far', 'pick of attempt 2, sent back plan');
    run.cancel();
    await run.result;
  });

  it('of a limit lifts it', async () => {
    const spender = fake('draft', {
      outputs: [({ report }: { report: (usage: object) => void }) => report({ costUsd: 2 })],
    });
    const { page, run } = await opened([spender, fake('print', { after: ['draft'] })], {
      policy: { onLimit: 'escalate' },
      limits: { costUsd: 1 },
    });
    await page.getByRole('heading', { level: 1, name: 'costUsd is spent, and the run is held' }).waitFor();
    await says(page, 'Used so far', '$2.00 of $1.00 used up');
    await choose(page, 'Approve');
    await page.getByRole('button', { name: 'Send: approve' }).click();
    await page.getByRole('heading', { name: 'Answered' }).waitFor();
    expect((await run.result).status).toBe('completed');
  });

  it('says that no process works on its run, with the command that resumes it', async () => {
    const { page, run, store, item, url } = await opened(draftTwice());
    run.suspend();
    await run.result;
    await choose(page, 'Approve');
    await page.getByRole('button', { name: 'Send: approve' }).click();
    await page.getByRole('heading', { name: 'Answer saved' }).waitFor();
    await page.getByText(`phasegate resume ${run.id} --store`).waitFor();
    expect(await store.messages(run.id)).toMatchObject([{ item, by: 'ada' }]);
    await page.goto(`${url.replace(/\?.*/u, '')}#/`);
    const answered = page.getByRole('region', { name: 'Answered, pending' });
    await answered.getByText('answered by ada, pending').waitFor();
    await page.getByText('Nothing waits for a person.').waitFor();
  });

  it('shows at once that it is more urgent, or assigned to others', async () => {
    const time = simulatedTime();
    const inbox = { raiseAfterMs: 60_000, expireAfterMs: 120_000, onExpiry: { queue: 'bosses' } } as const;
    const { page } = await opened([fake('draft', { verdicts: ['ESCALATE: Well?'], inbox })], { time });
    await page.getByRole('radio', { name: /^Approve/u }).waitFor();
    await time.pass(120_000);
    await alerted(page, 'Nobody has answered in time. It is high now. It was moved to queue bosses.');
    expect(await page.getByRole('button', { name: 'Send the answer' }).isEnabled()).toBe(true);
  });

  it('can be read but not answered on a read-only dashboard', async () => {
    const { page } = await opened(draftTwice(), { serve: { readOnly: true } });
    await says(page, 'Latest attempt: attempt 2', 'a second draft');
    await page.getByText('This dashboard is read-only: nothing can be sent.').waitFor();
    expect(await page.getByRole('button', { name: /^Send/u }).count()).toBe(0);
    expect(await page.getByRole('radio', { name: /^Approve/u }).isDisabled()).toBe(true);
  });

  it('loads large values on demand, and shows a line of a megabyte', async () => {
    const large = (word: string) => `${word} `.repeat(250_000);
    const { page } = await opened([
      fake('draft', { outputs: [large('one'), large('two')], verdicts: ['RETRY: no', 'ESCALATE: Well?'] }),
    ]);
    const attempt = page.getByRole('region', { name: 'Latest attempt: attempt 2' });
    expect(await attempt.innerText()).not.toContain('two two');
    await attempt.getByRole('button', { name: /^Load it/u }).click();
    await attempt.getByText(/^two two/u).waitFor();
    // The button is gone, so the content that it loaded has the focus.
    await attempt
      .locator(':focus')
      .getByText(/^two two/u)
      .waitFor();
    await attempt.getByRole('button', { name: /^Show all \(1\.0 million characters\)/u }).click();
    // Content out of sight is not laid out, but is in the document.
    await expect.poll(async () => (await attempt.locator('pre').first().textContent())?.length).toBe(1_000_000);
    const changes = page.getByRole('region', { name: 'What has changed' });
    await changes.getByRole('button', { name: /^Load and compare/u }).click();
    await changes.getByRole('table').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

// --- internal ---

interface Options {
  readonly policy?: Policy;
  readonly limits?: Limits;
  readonly serve?: DashboardOptions;
  /** The time source of the run. @default real time */
  readonly time?: SimulatedTime;
}

/** Phases whose second attempt waits for a person, with an open issue. */
function draftTwice(): readonly Fake[] {
  const issue = { id: 'no-login', severity: 'high', description: 'No login.', requiredChange: 'Add a login.' } as const;
  const verdict = { ...requestChanges([issue], 'There is no login.'), confidence: 0.9 };
  return [
    fake('plan'),
    fake('draft', {
      after: ['plan'],
      outputs: ['a first draft', 'a second draft'],
      verdicts: [verdict, verdict],
      onExhausted: 'escalate',
      maxRetries: 1,
    }),
    fake('print', { after: ['draft'] }),
  ];
}

/** Accepts numbers above 0. */
const positive = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'number' && value > 0 ? { value } : { issues: [{ message: 'has to be above 0' }] },
  },
} as const;

/** Starts a run, waits until it asks for something, and opens that item. */
async function opened(phases: readonly Fake[], { policy, limits = { corrections: 2 }, serve, time }: Options = {}) {
  const { store, url } = await dashboard(serve);
  const pipeline = pipelineOf('story', phases, { ...(policy && { policy }), limits });
  const run: Run<unknown> = startRun(pipeline, { store, runId: 'r-1', ...(time && { clock: time.clock }) });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await expect.poll(() => asked(store)).toBe(true);
  const [item] = await store.inbox({ open: true });
  const { page } = await openTab(url);
  await page.goto(addressOf(url, item?.id ?? ''));
  return { page, run, store, url, item: item?.id ?? '' };
}

async function asked(store: RunStore): Promise<boolean> {
  return (await store.inbox({ open: true })).length > 0;
}

function addressOf(url: string, item: string): string {
  return `${url.replace(/\?.*/u, '')}#/item/${encodeURIComponent(item)}`;
}

async function choose(page: Page, answer: string): Promise<void> {
  await page.getByRole('radio', { name: new RegExp(`^${answer}`, 'u') }).check();
}

/** Waits until a region of the page contains the text. */
async function says(page: Page, region: string, text: string): Promise<void> {
  await expect.poll(() => page.getByRole('region', { name: region }).innerText().then(flat)).toContain(flat(text));
}

async function follows(page: Page, text: RegExp): Promise<void> {
  await expect.poll(() => page.locator('.consequences').innerText()).toMatch(text);
}

async function alerted(page: Page, text: string): Promise<void> {
  await page.getByRole('alert').filter({ hasText: text }).waitFor();
}

function flat(text: string): string {
  return text.replaceAll(/\s+/gu, '');
}
