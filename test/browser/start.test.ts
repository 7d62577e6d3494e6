/**
 * The page that starts runs, in a browser.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorker, definePipeline, phase, PhasegateError, resumeRun, task } from '../../src/index.ts';
import { dashboard } from './dashboard.ts';
import { openTab } from './tab.ts';

const greet = definePipeline({
  name: 'greet',
  input: z.strictObject({ name: z.string().max(5) }),
  phases: [phase('hello', { tasks: [task('text', { run: ({ input }) => `Hello ${JSON.stringify(input)}` })] })],
});
const plain = definePipeline({
  name: 'plain',
  phases: [phase('a', { tasks: [task('t', { run: ({ input }) => input ?? 'no input' })] })],
});
const pipelines = [{ pipeline: greet, workCommand: 'phasegate work greet.ts' }, plain];

describe('the page that starts runs', () => {
  it('shows what is wrong with the input at the field, starts one run by two clicks, and opens its page', async () => {
    const { store, url } = await dashboard({ pipelines });
    const { page, allow } = await openTab(url);
    allow(/400/u);
    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'greet' }).waitFor();
    await page.getByText('phasegate work greet.ts').waitFor();
    await page.getByText('Schema of the input').click();
    await page.getByText('"maxLength": 5').waitFor();

    const field = page.getByLabel('Input', { exact: true });
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await field.fill('{"name": "Ada"');
    await page.getByText('This is not valid JSON').waitFor();
    expect(await start.isDisabled()).toBe(true);
    await field.fill('{"name": "Augusta"}');
    await start.click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('name: ');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await store.runs()).toEqual([]);

    await field.fill('{"name": "Ada"}');
    expect(await page.getByRole('alert').count()).toBe(0);
    await start.dblclick();
    await expect.poll(() => page.url()).toContain('#/run/');
    await page.getByRole('heading', { level: 1, name: /greet/u }).waitFor();
    // No worker runs, so the page tells what to run.
    await page.getByText('phasegate work greet.ts').waitFor();
    expect(await store.runs()).toHaveLength(1);

    const worker = createWorker(store, [greet]);
    await expect.poll(async () => (await store.runs())[0]?.status).toBe('completed');
    await worker.stop();
    await expect.poll(() => page.getByText('phasegate work greet.ts').count()).toBe(0);
  });

  it('sends the same id again after a lost answer, and another for another input', async () => {
    const { store, url } = await dashboard({ pipelines });
    const { page, allow } = await openTab(`${url}#/start?pipeline=plain`);
    allow(/ERR_FAILED/u);
    const ids: unknown[] = [];
    await page.route('**/api/runs', async (route) => {
      ids.push(/"runId":"(\w+)"/u.exec(route.request().postData() ?? '')?.[1]);
      // The server gets each request, and the first answers are lost.
      await route.fetch();
      await (ids.length < 4 ? route.abort() : route.continue());
    });
    const start = page.getByRole('button', { name: 'Start', exact: true });
    for (const [count, text] of ['1', '1', '2', '2'].entries()) {
      await page.getByLabel('Input', { exact: true }).fill(text);
      await start.click();
      await expect.poll(() => ids.length).toBe(count + 1);
      if (count < 3) await page.getByText('The dashboard server does not respond').first().waitFor();
    }
    await expect.poll(() => page.url()).toContain('#/run/');
    expect([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]]).toEqual([true, false, true]);
    expect(await store.runs()).toHaveLength(2);
  });

  it('begins a run without a worker if the server can', async () => {
    const { store, url } = await dashboard({
      pipelines,
      actions: {
        resume: async ({ runId }) => void (await (await resumeRun(store, runId, plain, { attended: true })).result),
        retry: () => Promise.resolve(),
      },
    });
    const { page } = await openTab(`${url}#/start?pipeline=plain`);
    expect(await page.getByLabel('begin at once, without a worker').isChecked()).toBe(true);
    await page.getByLabel('Tags').fill(' team=search, nightly');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect.poll(() => page.url()).toContain('#/run/');
    await page.getByText('completed').first().waitFor();
    await page.getByText('nightly team=search').waitFor();
    expect((await store.runs()).map(({ tags }) => tags)).toEqual([['nightly', 'team=search']]);
  });

  it('tells why a stored run could not be begun, and leads to it', async () => {
    const { store, url } = await dashboard({
      pipelines,
      actions: {
        resume: () =>
          Promise.reject(
            new PhasegateError('FILE_UNREADABLE', 'Cannot read p.ts as it is gone', { hint: 'Bring it back.' }),
          ),
        retry: () => Promise.resolve(),
      },
    });
    const { page } = await openTab(`${url}#/start?pipeline=plain`);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Cannot read p.ts as it is gone').waitFor();
    const [run] = await store.runs();
    await page.getByRole('link', { name: run?.runId ?? '', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /plain/u }).waitFor();
  });

  it('is offered only if runs can be started', async () => {
    for (const options of [{}, { pipelines, readOnly: true }]) {
      const { url } = await dashboard(options);
      const { page } = await openTab(`${url}#/start`);
      await page.getByText('This dashboard starts no runs of yours.').waitFor();
      expect(await page.getByRole('link', { name: 'Start', exact: true }).count()).toBe(0);
    }
  });
});
