/**
 * One event stream for all windows of a browser, and a list of runs that fetches what has changed.
 *
 * The server counts what the browser asks, as the requests of a shared worker belong to no page.
 *
 * @module
 */
import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRun, type Run } from '../../src/index.ts';
import { createDashboard } from '../../src/dashboard.ts';
import type { RunStore } from '../../src/store.ts';
import { fake, held, never } from '../rig.ts';
import { ownStore } from '../server/rig.ts';
import { assets } from './dashboard.ts';
import { pipelineOf } from './runs.ts';
import { openSecondTab, openTab } from './tab.ts';

describe('six visible windows of a browser', () => {
  it('share a stream, and all get what happens, while an answer and its page still get a connection', async () => {
    const { store, origin, streams } = await counted();
    const one = begin(store, 'one', [fake('a', { verdicts: ['ESCALATE: Is it good?'] })]);
    const work = held();
    begin(store, 'two', [fake('b', { outputs: [work.script] })]);
    await expect.poll(async () => (await store.inbox({ open: true })).length).toBe(1);

    const { page: home } = await openTab(`${origin}/`);
    const pages: Page[] = [];
    for (const hash of ['#/', '#/runs', '#/run/one?tab=records', '#/run/one?tab=records', '#/run/two?tab=records'])
      pages.push((await openSecondTab(home, `${origin}/${hash}`)).page);
    const [second, list, ofOne, again, ofTwo] = pages;
    for (const page of [home, ...pages]) await page.getByRole('link', { name: 'Needs you (1)' }).waitFor();
    await expect.poll(streams).toEqual(['/api/changes?each=one&after=0&each=two&after=0'].map(anyPosition));
    expect(streams()).toHaveLength(1);

    await home.getByRole('link', { name: /^a$/u }).first().click();
    await home.getByRole('radio', { name: /^Approve/u }).check();
    await home.getByRole('button', { name: 'Send: approve' }).click();
    await home.getByRole('heading', { name: 'Answered' }).waitFor();
    expect((await one.result).status).toBe('completed');
    work.release('some work');
    await expect.poll(async () => (await store.run('two'))?.status).toBe('completed');

    for (const page of [home, ...pages]) await page.getByRole('link', { name: 'Needs you (0)' }).waitFor();
    await second?.getByText('Nothing waits for a person.').waitFor();
    await expect.poll(() => list?.locator('.runs td .badge, .runs td .status').allInnerTexts()).toHaveLength(2);
    for (const [page, run] of [
      [ofOne, 'one'],
      [again, 'one'],
      [ofTwo, 'two'],
    ] as const) {
      const { length } = await store.read(run);
      await page?.getByText(`${length} of ${length}`, { exact: true }).waitFor();
    }
    expect(streams()).toHaveLength(1);
  });

  it('end the stream when they are closed', async () => {
    const { origin, streams } = await counted();
    const { page } = await openTab(`${origin}/`);
    const { page: other } = await openSecondTab(page, `${origin}/#/runs`);
    await expect.poll(streams).toEqual(['/api/changes']);
    await other.close();
    await page.goto('about:blank');
    await expect.poll(streams).toEqual([]);
  });

  it.each([
    ['has no shared workers', 'delete window.SharedWorker'],
    ['forbids them', 'window.SharedWorker = class { constructor() { throw new Error("forbidden"); } }'],
    [
      'does not load their script',
      'window.SharedWorker = class extends EventTarget { port = new MessageChannel().port1; constructor() { super(); setTimeout(() => this.dispatchEvent(new Event("error")), 50); } }',
    ],
  ])('have a stream each if the browser %s', async (_name, script) => {
    const { store, origin, streams } = await counted();
    const { page } = await openTab('about:blank');
    await page.context().addInitScript(script);
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'Needs you (0)' }).waitFor();
    const { page: other } = await openSecondTab(page, `${origin}/#/runs`);
    await expect.poll(streams).toEqual(['/api/changes', '/api/changes']);
    begin(store, 'one', [fake('a', { verdicts: ['ESCALATE: Is it good?'] })]);
    for (const each of [page, other]) await each.getByRole('link', { name: 'Needs you (1)' }).waitFor();
  });
});

describe('the page of runs', () => {
  it('fetches all runs once, nothing while it is idle, and then the run that has changed', async () => {
    const { store, origin, reads, polls } = await counted();
    for (let at = 0; at < 200; at += 1) await begin(store, `run-${at}`, [fake('a')]).result;
    begin(store, 'live', [fake('a', { outputs: [never] })]);
    const { page } = await openTab(`${origin}/#/runs`);
    await page.getByText('201 runs', { exact: true }).waitFor();
    await settled(reads, polls);
    const [all] = reads().filter(({ path }) => path.startsWith('/api/runs?limit='));
    expect(reads().filter(({ path }) => path.startsWith('/api/runs?limit='))).toHaveLength(1);
    expect(all?.bytes).toBeGreaterThan(200 * 200);

    const before = reads().length;
    const polled = polls();
    await expect.poll(polls).toBeGreaterThan(polled + 10);
    expect(reads().slice(before)).toEqual([]);

    await begin(store, 'new', [fake('a')]).result;
    await page.getByText('202 runs', { exact: true }).waitFor();
    await settled(reads, polls);
    const since = reads().slice(before);
    expect(since.length).toBeGreaterThan(0);
    for (const { path, bytes } of since) {
      expect(path).toBe('/api/runs?id=new');
      expect(bytes).toBeLessThan(3000);
    }

    // Back from another page, it has the list still.
    await page.getByRole('link', { name: 'Needs you (0)' }).click();
    await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('202 runs', { exact: true }).waitFor();
    await settled(reads, polls);
    expect(reads().filter(({ path }) => path.startsWith('/api/runs?limit=10000'))).toHaveLength(1);
  });
});

it('a change that comes during a request is read after it', async () => {
  const { store, origin, reads } = await counted();
  const { page } = await openTab(`${origin}/#/runs`);
  await page.getByText('No runs yet.').waitFor();
  let proceed = (): void => undefined;
  const free = new Promise<void>((resolve) => (proceed = resolve));
  let isHeld = false;
  await page.route('**/api/runs?*', async (route) => {
    const response = await route.fetch();
    isHeld = true;
    await free;
    await route.fulfill({ response });
  });
  await begin(store, 'one', [fake('a')]).result;
  await expect.poll(() => isHeld).toBe(true);
  await begin(store, 'two', [fake('a')]).result;
  // The link tells the next change, of an item.
  begin(store, 'three', [fake('a', { verdicts: ['ESCALATE: Is it good?'] })]);
  await page.getByRole('link', { name: 'Needs you (1)' }).waitFor();
  proceed();
  await page.getByText('3 runs', { exact: true }).waitFor();
  expect(reads().length).toBeGreaterThan(1);
});

// --- internal ---

/** A request, and the bytes of its response so far. */
interface Read {
  readonly path: string;
  bytes: number;
}

/** Serves a dashboard that counts its open streams, the reads of lists of runs, and its polls of the store. */
async function counted() {
  const { store } = await ownStore();
  const open = new Set<Read>();
  const all: Read[] = [];
  let polls = 0;
  const watched: RunStore = { ...store, inbox: (filter) => ((polls += 1), store.inbox(filter)) };
  const dashboard = createDashboard({
    store: watched,
    assets,
    authorize: () => ({ name: 'Ada', mayAnswer: true }),
  });
  const fetch = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const read: Read = { path: `${pathname}${search}`, bytes: 0 };
    const response = await dashboard.fetch(request);
    if (pathname === '/api/runs') all.push(read);
    if (pathname === '/api/changes') open.add(read);
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        read.bytes += part.byteLength;
        controller.enqueue(part);
      },
    });
    const gone = () => open.delete(read);
    request.signal.addEventListener('abort', gone);
    return new Response(response.body?.pipeThrough(count), response);
  };
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    dashboard.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    store,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams: () => [...open].map(({ path }) => path),
    reads: () => all,
    polls: () => polls,
  };
}

/** Resolves when several polls of the server have caused no read. */
async function settled(reads: () => readonly Read[], polls: () => number): Promise<void> {
  for (let count = -1; count !== reads().length;) {
    count = reads().length;
    const polled = polls();
    await expect.poll(polls).toBeGreaterThan(polled + 4);
  }
}

function anyPosition(path: string): unknown {
  return expect.stringMatching(new RegExp(`^${path.replaceAll('?', '\\?').replaceAll('after=0', 'after=\\d+')}$`, 'u'));
}

/** Starts a run of that name. It ends with the test. */
function begin(store: RunStore, name: string, phases: Parameters<typeof pipelineOf>[1]): Run<unknown> {
  const run = startRun(pipelineOf(name, phases), { store, runId: name, attended: true });
  onTestFinished(async () => {
    run.cancel('the test is over');
    await run.result;
  });
  return run;
}
