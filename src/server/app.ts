/**
 * What is answered to which request: `api.ts` says what that means.
 *
 * @module
 */
import { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { readStandings } from '../store/run-status.ts';
import { createTroubleTeller } from './alerts.ts';
import type { Done, Session } from './api.ts';
import { createAssets } from './assets.ts';
import { refusalOf, refused } from './error-response.ts';
import { eventStream, withLastWord } from './event-stream.ts';
import { createGuard, tellBrowsers, type Env, type Secrets } from './guard.ts';
import { answer, itemInFull, listItems } from './inbox.ts';
import { together } from './merge-streams.ts';
import { createRecordTeller } from './records.ts';
import { answerRequest, cancelRequest, forkRequest, readBody, readCount, readLastEventId } from './requests.ts';
import { createDoer } from './run-actions.ts';
import { createChangeTeller } from './run-changes.ts';
import { findRun, listRuns, offered, uiRun } from './runs.ts';
import type { Backstage } from './server-context.ts';
import { charts } from './statecharts.ts';
import { version } from './version.ts';

/** Makes the app that answers. @param secrets Let whoever has one in. @param assets The folder of the pages. */
export function createApp(stage: Backstage, secrets: Secrets, assets: string | URL | undefined): Hono<Env> {
  const app = new Hono<Env>();
  const records = createRecordTeller(stage);
  const changes = createChangeTeller(stage);
  const troubles = createTroubleTeller(stage);
  const doer = createDoer(stage);
  const done = async (runId: string): Promise<Done> => ({ run: uiRun(stage, await findRun(stage, runId)) });

  app.use(tellBrowsers, createGuard(secrets));
  app.onError((thrown, c) => {
    const { status, body } = refused(thrown);
    if (body.error.code === 'INTERNAL') stage.onError(thrown);
    return c.json(body, contentful(status));
  });
  app.notFound((c) => c.json(refusalOf(`Cannot find ${c.req.method} ${c.req.path}`), 404));

  app.get('/api/session', (c) => {
    const { storeName: store, readOnly, user } = stage;
    const session: Session = { version: version(), store, readOnly, user, actions: offered(stage), now: Date.now() };
    return c.json(session);
  });
  app.get('/api/changes', (c) => {
    const runId = c.req.query('run');
    const known = Math.max(readLastEventId(c), readCount(c, 'after', 0));
    const tell = (signal: AbortSignal) =>
      runId === undefined
        ? changes.tell(signal)
        : together([changes.tell(signal), records.tell(runId, known + 1, known, signal)]);
    return eventStream((signal) => withLastWord(tell(signal), stage.farewell), stage.streams);
  });
  app.get('/api/open', async (c) => c.json({ open: await changes.open() }));
  app.get('/api/runs', async (c) => {
    const status = c.req.query('status');
    const standings = status === undefined ? undefined : readStandings(status);
    const limit = readCount(c, 'limit', MOST_RUNS);
    return c.json({ runs: await listRuns(stage, { pipeline: c.req.query('pipeline'), standings, limit }) });
  });
  app.get('/api/runs/:run', async (c) => c.json(uiRun(stage, await findRun(stage, c.req.param('run')))));
  app.get('/api/runs/:run/records', async (c) => {
    const { runId } = await findRun(stage, c.req.param('run'));
    const known = readLastEventId(c);
    const from = Math.max(known + 1, readCount(c, 'from', 1));
    return eventStream((signal) => records.tell(runId, from, known, signal), stage.streams);
  });
  app.get('/api/troubles', async (c) => c.json({ troubles: await troubles.tell() }));
  app.get('/api/inbox', async (c) => {
    const all = c.req.query('all') === '1';
    return c.json({ items: await listItems(stage, { all, runId: c.req.query('run') }) });
  });
  app.get('/api/inbox/:item', async (c) => c.json(await itemInFull(stage, c.req.param('item'))));
  app.get('/api/charts', (c) => c.json(charts()));
  app.get('/api/artifacts/:hash{[0-9a-f]{64}}', async (c) => {
    const content = await stage.store.artifact(c.req.param('hash'));
    if (content === undefined) return c.notFound();
    return c.body(content, 200, { 'content-type': 'application/json; charset=utf-8' });
  });

  if (stage.readOnly) app.post('*', (c) => c.json(READ_ONLY, 403));
  for (const how of ['resume', 'retry'] as const) {
    app.post(`/api/runs/:run/${how}`, async (c) => {
      const run = await findRun(stage, c.req.param('run'), how);
      const state = await doer.goOn(how, run);
      return c.json(await done(run.runId), state === 'begun' ? 200 : 202);
    });
  }
  app.post('/api/runs/:run/cancel', async (c) => {
    const runId = c.req.param('run');
    await doer.cancel(runId, (await readBody(c, cancelRequest)).reason);
    return c.json(await done(runId));
  });
  app.post('/api/runs/:run/fork', async (c) =>
    c.json(await doer.fork(c.req.param('run'), await readBody(c, forkRequest))),
  );
  app.post('/api/inbox/:item/answer', async (c) =>
    c.json(await answer(stage, doer, c.req.param('item'), await readBody(c, answerRequest))),
  );

  const asset = createAssets(assets);
  app.get('/', asset);
  app.get('/:file', asset);
  app.get('/assets/:file', asset);
  return app;
}

// --- internal ---

/** Runs in a list where no limit was asked for. */
const MOST_RUNS = 500;

const READ_ONLY = refusalOf(
  'Cannot change anything as this dashboard is read-only',
  'Start it without --read-only, or answer with phasegate inbox answer.',
);

/** Every status that is refused with has a body. */
function contentful(status: number): ContentfulStatusCode {
  return STATUSES.find((one) => one === status) ?? 500;
}

const STATUSES = [400, 403, 404, 409, 413, 503] as const;
