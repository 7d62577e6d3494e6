/**
 * The first page and the list of runs in a browser: urgent items come first, and each possible action works.
 *
 * @module
 */
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { human, PhasegateError, retryRun, startRun, submitRun, task, type Policy, type Run } from '../../src/index.ts';
import type { Done } from '../../src/server/api.ts';
import type { RunStore } from '../../src/store.ts';
import { fake, never, type Fake } from '../rig.ts';
import { dashboard } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

describe('the first page', () => {
  it('lists pending items, the most urgent first, with reason, assignee and deadline', async () => {
    const { store, url } = await dashboard();
    const { page } = await openTab(url);
    await page.getByText('Nothing waits for a person.').waitFor();
    const policy = { inbox: { queue: 'editors', expireAfterMs: 7_200_000, onExpiry: 'reject' } } as const;
    begin(store, 'later', [fake('draft', { verdicts: ['ESCALATE: Is it good?'] })], policy);
    const ask = task('person', { run: human({ question: 'Which?', severity: 'urgent' }) });
    const urgent = begin(store, 'now', [fake('pick', { tasks: [ask] })]);
    const items = page.getByRole('list', { name: 'Open items' }).getByRole('listitem');
    await expect.poll(() => items.count()).toBe(2);
    expect(await texts(items)).toEqual([
      expect.stringMatching(/^Which\? ‼ urgent .* now now pick \/ person queue default$/u),
      expect.stringMatching(
        /^draft a reviewer has asked for a person .* Is it good\? later later queue editors expires in 2 h, then is rejected$/u,
      ),
    ]);
    // An answer by another process removes the item from the page.
    const [item] = urgent.inbox();
    await urgent.answer(item?.id ?? '', { type: 'value', value: 'that' });
    await expect.poll(() => items.count()).toBe(1);
    await page.getByRole('link', { name: 'Needs you (1)' }).waitFor();
  });

  it('lists runs that loop, are stuck or short of something, with a link to the evidence', async () => {
    const { store, url } = await dashboard();
    const { page } = await openTab(url);
    const wrong = page.getByRole('region', { name: 'Looping or stuck' });
    await wrong.getByText('No running run loops, hangs or is near a limit.').waitFor();
    const draft = fake('draft', { outputs: ['one', never], verdicts: ['RETRY: Shorter.'] });
    const run = begin(store, 'short', [draft], { maxRetries: 1 });
    await wrong.getByText('The gate has used 1 of 1 retries').waitFor();
    await wrong.getByRole('link', { name: 'draft' }).click();
    await expect.poll(() => page.url()).toContain('#/run/short?phase=draft');
    await page.goBack();
    run.cancel('enough');
    await wrong.getByText('No running run loops, hangs or is near a limit.').waitFor();
  });
});

describe('the list of runs', () => {
  it('names the run of a task in which a run waits for a person, as does its page', async () => {
    const { store, url } = await dashboard();
    const inner = pipelineOf('inner', [fake('ask', { tasks: [task('who', { run: human({ question: 'Who?' }) })] })]);
    const run = begin(store, 'above', [fake('build', { tasks: [task('all', { pipeline: () => inner })] })]);
    await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
    run.suspend();
    await run.result;
    const { page } = await openTab(`${url}#/runs`);
    const row = page.getByRole('row', { name: /^above/u });
    const below = 'above/build/0/0/task/all';
    await row.getByText('waits for you').waitFor();
    await row.getByRole('link', { name: below }).waitFor();
    await row.getByRole('link', { name: 'above', exact: true }).click();
    await page.locator('.run-head').getByText('waits for you').waitFor();
    await page.getByRole('region', { name: 'Waits for a person' }).getByRole('link', { name: below }).click();
    await page.getByRole('link', { name: 'Answer', exact: true }).waitFor();
  });

  it('is filtered by the query of the address', async () => {
    const { store, url } = await dashboard();
    await begin(store, 'done-1', [fake('a')]).result;
    await begin(store, 'failed-1', [fake('a', { outputs: [new Error('no network')] })]).result;
    begin(store, 'live-1', [fake('a', { outputs: [never] })]);
    const { page } = await openTab(url);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(['live-1', 'failed-1', 'done-1']);
    await page.getByLabel('Status').selectOption('failed (1)');
    await expect.poll(() => names(page)).toEqual(['failed-1']);
    await page.getByText('1 of 3 runs').waitFor();
    expect(page.url()).toContain('#/runs?standing=failed');
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['failed-1']);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Contains').fill('DONE');
    await expect.poll(() => names(page)).toEqual(['done-1']);
    await page.getByLabel('Contains').fill('nothing');
    await page.getByText('No run matches these filters.').waitFor();
  });

  it('shows tags and figures, filters by tag and time, and sorts by cost, all in the address', async () => {
    const { store, url } = await dashboard();
    const spends = (name: string, costUsd: number) => {
      const work = task('t', {
        run({ report }) {
          report({ costUsd, tokens: 1200 });
          return 1;
        },
      });
      return pipelineOf(name, [fake('a', { tasks: [work] })]);
    };
    await startRun(spends('cheap', 1), { store, runId: 'cheap', tags: ['team=search', 'nightly'] }).result;
    await startRun(spends('dear', 3), { store, runId: 'dear', tags: ['team=ads'] }).result;
    await startRun(spends('later', 2), { store, runId: 'later' }).result;
    await submitRun(store, spends('next', 2), { runId: 'next' });
    const { page } = await openTab(`${url}#/runs`);
    await expect.poll(() => names(page)).toEqual(['next', 'later', 'dear', 'cheap']);
    const row = page.locator('.runs tbody tr', { hasText: 'cheap' });
    await expect.poll(() => row.innerText()).toMatch(/[\d.]+ s\s+1\.2k\s+\$1\.00\s+nightly\s+team=search/u);
    await page.locator('.runs tbody tr', { hasText: 'next' }).getByText('queued').waitFor();
    const cost = page.getByRole('columnheader', { name: 'Cost' });
    await cost.getByRole('button').click();
    await expect.poll(() => names(page)).toEqual(['dear', 'later', 'cheap', 'next']);
    expect(await cost.getAttribute('aria-sort')).toBe('descending');
    expect(await page.locator('.runs [aria-sort]').count()).toBe(1);
    // By keyboard, and in reverse. The run without a cost stays last.
    await cost.getByRole('button').press('Enter');
    await expect.poll(() => names(page)).toEqual(['cheap', 'later', 'dear', 'next']);
    expect(await cost.getAttribute('aria-sort')).toBe('ascending');
    await cost.getByRole('button').press('Enter');
    await expect.poll(() => names(page)).toEqual(['dear', 'later', 'cheap', 'next']);
    await page.getByLabel('Tag').selectOption('team (2)');
    await expect.poll(() => names(page)).toEqual(['dear', 'cheap']);
    await page.getByLabel('Last record').selectOption('last hour');
    await expect.poll(() => page.url()).toContain('#/runs?tag=team&age=1h&sort=cost');
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['dear', 'cheap']);
    await page.getByRole('link', { name: 'nightly' }).click();
    await expect.poll(() => names(page)).toEqual(['cheap']);
    await page.getByRole('link', { name: 'Queued', exact: true }).click();
    await expect.poll(() => names(page)).toEqual(['next']);
  });

  it('is cards on a phone, whose figures have names, and is sorted by a field there', async () => {
    const { store, url } = await dashboard();
    await begin(store, 'done-1', [fake('a')]).result;
    await begin(store, 'done-2', [fake('a')]).result;
    const { page } = await openTab(`${url}#/runs`, { viewport: { width: 390, height: 844 } });
    const card = page.locator('.runs tbody tr', { hasText: 'done-1' });
    await expect
      .poll(() => card.innerText())
      .toMatch(/completed[\s\S]*1 of 1[\s\S]*Work [\d.]+ s[\s\S]*Started [^\n]+[\s\S]*Last record [^\n]+/u);
    // An unknown amount is no figure, and is left out.
    expect(await card.innerText()).not.toMatch(/Tokens|Cost|–/u);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.goto(`${url.replace(/\?.*/u, '')}#/runs?sort=started.reversed`);
    await expect.poll(() => names(page)).toEqual(['done-1', 'done-2']);
    await page.getByLabel('Sort by').selectOption('latest start');
    await expect.poll(() => names(page)).toEqual(['done-2', 'done-1']);
  });

  it('saves filters by name, renames and deletes them, and restores the usual ones', async () => {
    const { store, url } = await dashboard();
    await begin(store, 'done-1', [fake('a')]).result;
    const { page } = await openTab(`${url}#/runs?find=done`);
    const saved = page.getByRole('navigation', { name: 'Saved filters' });
    const links = () => saved.getByRole('link').allInnerTexts();
    await saved.getByRole('button', { name: 'Save this filter…' }).click();
    await saved.getByLabel('Name of the filter').fill('<b>done</b>');
    await saved.getByRole('button', { name: 'Save', exact: true }).click();
    const usual = ['Waiting for people', 'Failed today', 'Queued', 'Highest cost this week'];
    await expect.poll(links).toEqual([...usual, '<b>done</b>']);
    await page.reload();
    await expect.poll(links).toEqual([...usual, '<b>done</b>']);
    await saved.getByRole('button', { name: 'Edit filters' }).click();
    const last = saved.getByLabel('New name of <b>done</b>');
    await last.fill('done ones');
    await last.press('Enter');
    for (const name of usual) await saved.getByRole('button', { name: `Delete ${name}` }).click();
    await saved.getByRole('button', { name: 'Edit filters' }).click();
    await expect.poll(links).toEqual(['done ones']);
    await page.goto(`${url}#/runs`);
    await saved.getByRole('link', { name: 'done ones' }).click();
    await expect.poll(() => page.url()).toContain('#/runs?find=done');
    await saved.getByRole('button', { name: 'Edit filters' }).click();
    await saved.getByRole('button', { name: 'Delete done ones' }).click();
    await saved.getByRole('button', { name: 'Restore the usual ones' }).click();
    await saved.getByRole('button', { name: 'Edit filters' }).click();
    await expect.poll(links).toEqual(usual);
  });

  it('cancels an unfinished run with a reason, and forks another', async () => {
    const { store, url } = await dashboard({ actions: { resume: nothing, retry: nothing } });
    const live = begin(store, 'live-1', [fake('a', { outputs: [never] })]);
    await begin(store, 'done-1', [fake('a')]).result;
    const { page } = await openTab(`${url}#/runs`);
    await act(page, 'live-1', 'Cancel…');
    await page.getByLabel('Why? (optional)').fill('too dear');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('Cancelled.', { exact: true }).waitFor();
    expect(await live.result).toMatchObject({ status: 'cancelled', reason: 'too dear' });

    await act(page, 'done-1', 'Fork…');
    const at = page.getByLabel('From record or phase');
    await at.fill('999');
    await page.getByText(/^The run has records 1 to \d+\.$/u).waitFor();
    expect(await page.getByRole('button', { name: 'Fork the run' }).isDisabled()).toBe(true);
    await at.fill('a');
    await page.getByLabel('resume at once').uncheck();
    await page.getByRole('button', { name: 'Fork the run' }).click();
    await page.getByText('Made run').waitFor();
    const forked = (await store.runs()).find(({ forkOf }) => forkOf === 'done-1');
    await page.getByRole('link', { name: forked?.runId ?? '', exact: true }).waitFor();
  });

  it('retries phases that were not approved, or reports the reason for a refusal', async () => {
    const pipeline = pipelineOf('failed-1', [fake('a', { outputs: [new Error('no network')] })]);
    let isBroken = true;
    const { store, url } = await dashboard({
      actions: {
        resume: nothing,
        async retry({ runId }) {
          if (isBroken)
            throw new PhasegateError('FILE_UNREADABLE', 'Cannot read p.ts as it is gone', { hint: 'Bring it back.' });
          await (
            await retryRun(store, runId, pipeline)
          ).result;
        },
      },
    });
    await startRun(pipeline, { store, runId: 'failed-1' }).result;
    const { page, allow } = await openTab(`${url}#/runs`);
    allow(/409/u);
    await act(page, 'failed-1', 'Retry what was not approved');
    const alert = page.getByRole('alert');
    await expect
      .poll(() => alert.innerText())
      .toMatch(/Cannot read p\.ts as it is gone[\s\S]*FILE_UNREADABLE[\s\S]*Bring it back\./u);
    isBroken = false;
    await page.getByRole('button', { name: 'Retry what was not approved', exact: true }).click();
    await page.getByText('Retried. It has completed.').waitFor();
    expect(await alert.count()).toBe(0);
  });

  it('says what a retry has done, also if the list is still behind', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let tries = 0;
    const work = task('work', {
      run() {
        if (++tries === 1) throw new Error('no network');
        return finished;
      },
    });
    const pipeline = pipelineOf('failed-1', [fake('a', { tasks: [work] })]);
    const { store, url } = await dashboard({
      actions: { resume: nothing, retry: async ({ runId }) => void (await retryRun(store, runId, pipeline)) },
    });
    await startRun(pipeline, { store, runId: 'failed-1' }).result;
    const { page } = await openTab(`${url}#/runs`);
    const row = page.getByRole('row', { name: /failed-1/u });
    await page.route('**/retry', async (route) => {
      const response = await route.fetch();
      const { run } = (await response.json()) as Done;
      await row.getByText('running').waitFor();
      // The answer of a server whose run has ended meanwhile.
      await route.fulfill({ response, json: { run: { ...run, standing: 'completed', seq: run.seq + 100 } } });
    });
    await act(page, 'failed-1', 'Retry what was not approved');
    const said = page.getByText('Retried. It has completed.');
    await said.waitFor();
    finish();
    await row.getByText('completed').first().waitFor();
    expect(await said.count()).toBe(1);
  });

  it('offers no actions on a read-only dashboard', async () => {
    const { store, url } = await dashboard({ readOnly: true });
    await begin(store, 'done-1', [fake('a')]).result;
    const { page } = await openTab(`${url}#/runs`);
    await expect.poll(() => names(page)).toEqual(['done-1']);
    expect(await page.getByRole('button', { name: /^Actions/u }).count()).toBe(0);
    await page.getByText('read-only').waitFor();
  });

  it('shows the first hundred of many, and more on demand', async () => {
    const { store, url } = await dashboard();
    for (let at = 0; at < 130; at += 1) await begin(store, `run-${at}`, [fake('a')]).result;
    const { page } = await openTab(`${url}#/runs`);
    await expect.poll(async () => (await names(page)).length).toBe(100);
    await page.getByRole('button', { name: 'Show 30 more' }).click();
    await expect.poll(async () => (await names(page)).length).toBe(130);
    await page.getByLabel('Contains').fill('run-12');
    await expect.poll(async () => (await names(page)).length).toBe(11);
  });
});

// --- internal ---

/** Starts a run of that name. It ends with the test. */
function begin(store: RunStore, name: string, phases: readonly Fake[], policy: Policy = {}): Run<unknown> {
  const run = startRun(pipelineOf(name, phases, { policy }), { store, runId: name });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  return run;
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

/** Returns the names of the listed runs, from the top. */
async function names(page: Page): Promise<readonly string[]> {
  return (await page.locator('.runs th[scope=row] code').allInnerTexts()).map((text) => text.trim());
}

async function texts(list: ReturnType<Page['getByRole']>): Promise<readonly string[]> {
  return (await list.allInnerTexts()).map((text) => text.replaceAll(/\s+/gu, ' ').trim());
}

async function act(page: Page, run: string, action: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^Actions for .* ${run}$`, 'u') }).click();
  await page.getByRole('button', { name: action, exact: true }).click();
}
