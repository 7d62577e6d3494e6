/**
 * The dashboard as a part of an application, in a browser: its pages work under a path, with the rights of each user.
 *
 * @module
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun } from '../../src/index.ts';
import { application, BASE, FRAMEWORKS } from '../server/applications.ts';
import { fake } from '../rig.ts';
import { attempt, ATTEMPTS, foreignPage } from './attempts.ts';
import { assets } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openTab } from './tab.ts';

describe.each(Object.entries(FRAMEWORKS))('in %s', (_name, start) => {
  it('follows a run at a deep link, and takes the answer of one user but not of the other', async () => {
    const { origin, store, run } = await waiting(start);
    const link = `${origin}${BASE}/#/run/r?tab=records`;
    const ben = await openTab('about:blank');
    await ben.page.context().addCookies([{ name: 'user', value: 'ben', url: origin }]);
    await ben.page.goto(link);
    await ben.page.getByText('read-only').waitFor();
    await ben.page.getByRole('link', { name: 'Needs you (1)' }).click();
    await ben.page.getByRole('link', { name: /check/u }).first().click();
    await ben.page.getByText('This dashboard is read-only: nothing can be sent.').waitFor();

    const ada = await openTab('about:blank');
    await ada.page.context().addCookies([{ name: 'user', value: 'ada', url: origin }]);
    // The address without the slash leads to the page as well.
    await ada.page.goto(`${origin}${BASE}#/run/r`);
    await ada.page.getByRole('application', { name: /^Graph of the phases/u }).waitFor();
    await ada.page.getByRole('link', { name: 'Needs you (1)' }).click();
    await ada.page.getByRole('link', { name: /check/u }).first().click();
    await ada.page.getByRole('radio', { name: /^Approve/u }).check();
    await ada.page.getByRole('button', { name: 'Send: approve' }).click();
    await ada.page.getByRole('heading', { name: 'Answered' }).waitFor();
    expect((await run.result).status).toBe('completed');
    expect(JSON.stringify(await store.read('r'))).toContain('"who":"Ada"');
    // The other page gets the change by its stream.
    await ben.page.getByRole('link', { name: 'Needs you (0)' }).waitFor();
  });

  it.each(Object.entries(ATTEMPTS))('lets no page of another port that %s', async (_attempt, body) => {
    const { origin, store, run } = await waiting(start);
    const { page, allow } = await openTab('about:blank');
    allow(/./u);
    await page.context().addCookies([{ name: 'user', value: 'ada', url: origin }]);
    const [item] = run.inbox();
    const target = { base: `${origin}${BASE}`, item: { id: item?.id ?? '', nonce: item?.nonce ?? '', run: 'r' } };
    await page.goto(await foreignPage());
    expect(await attempt(page, body, target)).toBe('');
    expect((await store.inbox({ open: true })).length).toBe(1);
    expect(await store.messages('r')).toEqual([]);
    // The page of the dashboard itself can do that.
    await page.goto(`${target.base}/`);
    expect(await attempt(page, ATTEMPTS['reads by fetch'], target)).toContain('"runId":"r"');
    expect(await attempt(page, ATTEMPTS['answers in JSON'], target)).toContain('"state":');
  });
});

// --- internal ---

/** Starts an application with a run that waits for a person. */
async function waiting(start: (typeof FRAMEWORKS)['Hono']) {
  const { origin, store } = await application(start, { assets });
  const phases = [fake('check', { verdicts: ['ESCALATE: Is it good?'] })];
  const run = startRun(pipelineOf('story', phases), { store, runId: 'r', attended: true });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);
  return { origin, store, run };
}
