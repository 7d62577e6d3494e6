/**
 * The page that starts runs, in a browser.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createWorker,
  definePipeline,
  phase,
  PhasegateError,
  resumeRun,
  type StandardSchemaV1,
  task,
} from '../../src/index.ts';
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
const article = definePipeline({
  name: 'article',
  input: z
    .strictObject({
      topic: z.string().max(20).describe('The subject, in a few words.'),
      brief: z.string().optional(),
      words: z.int().max(500).default(300),
      share: z.number().optional(),
      tone: z.enum(['dry', 'warm']),
      draft: z.boolean().optional(),
      sources: z.array(z.url()).optional(),
    })
    .refine(({ topic, brief }) => topic !== brief, 'The brief says nothing.'),
  phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })],
});
const pipelines = [{ pipeline: greet, workCommand: 'phasegate work greet.ts' }, plain];

/** A script that returns the names of marked fields, with their problems. */
const MARKED = `[...document.querySelectorAll('[aria-invalid="true"]')].map(({ id }) => [
  document.querySelector('label[for="' + id + '"]').innerText,
  document.getElementById(id + ' problem').innerText,
])`;

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
    await page.getByRole('radio', { name: 'raw JSON' }).check();

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

  it('has a field for each property, with problems beside it, and sends their values', async () => {
    const { store, url } = await dashboard({ pipelines: [{ pipeline: article, tags: ['nightly'] }] });
    const { page, allow } = await openTab(`${url}#/start`, { viewport: { width: 390, height: 800 } });
    allow(/400/u);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await page.getByText('The subject, in a few words.').waitFor();
    await page.getByText('A whole number. Empty means 300.').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    const start = page.getByRole('button', { name: 'Start', exact: true });
    await start.click();
    await page.getByText('Enter a text. An empty one can be sent as JSON.').waitFor();
    await page.getByText('Choose a value.').waitFor();
    // The first marked field has the focus.
    const topic = await field('topic').getAttribute('id');
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe(topic);
    expect(await store.runs()).toEqual([]);

    await field('topic').fill('Bees, and how they fly');
    await field('brief').fill('Short.\nFor children.');
    await field('words').fill('many');
    await page.getByText('This is not a whole number, such as 3.').waitFor();
    await field('words').fill('501');
    await field('tone').selectOption({ label: 'warm' });
    await field('draft').selectOption({ label: 'false' });
    await field('sources').fill('["https://example.org/", "x"]');
    await start.click();
    await page.getByText('The schema refuses the input. The marked fields say why.').waitFor();
    expect(await page.evaluate(MARKED)).toEqual([
      ['topic', expect.stringContaining('Too big')],
      ['words', expect.stringContaining('Too big')],
      ['sources', expect.stringContaining('1: Invalid URL')],
    ]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    await field('topic').fill('Bees');
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(0);
    await field('words').fill('500');
    await field('sources').fill('["https://example.org/"]');
    await page.getByRole('radio', { name: 'raw JSON' }).check();
    const input = {
      topic: 'Bees',
      brief: 'Short.\nFor children.',
      words: 500,
      tone: 'warm',
      draft: false,
      sources: ['https://example.org/'],
    };
    expect(JSON.parse(await field('Input').inputValue())).toEqual(input);
    await field('Input').fill('{ "topic": ["Bees"] }');
    await page.getByRole('radio', { name: 'fields' }).click();
    await page.getByText('The fields cannot hold all of this JSON, so it stays JSON.').waitFor();
    await field('Input').fill(JSON.stringify({ ...input, brief: 'Bees' }));
    await page.getByRole('radio', { name: 'fields' }).check();
    await start.click();
    // The problem is about no field.
    await page.getByRole('alert').getByText('The brief says nothing.').waitFor();
    await field('brief').fill('');
    await start.click();
    await expect.poll(() => page.url()).toContain('#/run/');
    const [run] = await store.runs();
    const [first] = await store.read(run?.runId ?? '');
    const { brief: _, ...sent } = input;
    expect(first?.event).toMatchObject({ type: 'run.started', input: sent, tags: ['nightly'] });
    expect(first?.event).not.toHaveProperty('input.brief');
  });

  it('takes names of any kind in its fields, and shows them as text', async () => {
    const properties = `{"__proto__":{"type":"integer"},"<b>a</b>\\u202e":{"type":"string","description":"<i>x</i>"}}`;
    const json: unknown = JSON.parse(`{"type":"object","properties":${properties},"required":["__proto__"]}`);
    const standard = {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => json },
    } as const;
    const input: StandardSchemaV1 = { '~standard': standard };
    const odd = definePipeline({ name: 'odd', input, phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] });
    const { store, url } = await dashboard({ pipelines: [odd] });
    const { page } = await openTab(`${url}#/start`);
    await page.getByLabel('__proto__', { exact: true }).fill('7');
    await page.getByLabel('<b>a</b>⟨U+202E⟩', { exact: true }).fill('text');
    await page.getByText('<i>x</i>').waitFor();
    const asked = page.waitForRequest('**/api/runs');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    expect((await asked).postData()).toContain('"input":{"__proto__":7,"<b>a</b>\u202e":"text"}');
    await expect.poll(() => store.runs()).toHaveLength(1);
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
