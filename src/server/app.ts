/**
 * The routes of the server. `api.ts` documents them.
 *
 * @module
 */
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { searchRuns } from '../runtime/records/search-runs.ts';
import { readStandings } from '../store/run-status.ts';
import { createAlertStream } from './alerts.ts';
import type { Done, Session } from './api.ts';
import { createAssets } from './http/assets.ts';
import { refusalOf, refused } from './http/error-response.ts';
import { listChanges, readFileChange } from './changes.ts';
import { createTurns, eventStream, withClosing, withName } from './streams/event-stream.ts';
import type { Env } from './http/env.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { answer, itemInFull, listItems } from './inbox.ts';
import { mergeStreams } from './streams/merge-streams.ts';
import { whileAllowed } from './streams/while-allowed.ts';
import { createRecordStream } from './records.ts';
import {
  answerRequest,
  cancelRequest,
  forkRequest,
  readBody,
  readCount,
  readIds,
  readLastEventId,
  readPosition,
  readPositions,
  startRequest,
} from './http/requests.ts';
import { listPipelines } from './pipelines.ts';
import { createRunActions, requireAction } from './run-actions.ts';
import { createChangeStream } from './run-changes.ts';
import { changedRuns, findRun, findUiRun, listRuns, offered } from './runs.ts';
import type { RequestContext, ServerContext } from './server-context.ts';
import { startPipeline } from './start-pipeline.ts';
import { charts } from './statecharts.ts';
import { readContent } from '../store/read-run.ts';
import { version } from '../store/version.ts';

/** Creates the app. @param guard Refuses requests, or sets their access. @param assets The folder with the built pages. */
export function createApp(
  context: ServerContext,
  guard: MiddlewareHandler<Env>,
  assets: string | URL | undefined,
): Hono<Env> {
  const app = new Hono<Env>();
  const records = createRecordStream(context);
  const changes = createChangeStream(context);
  const alerts = createAlertStream(context);
  // Searches take turns, so that none holds up the server.
  const turn = createTurns();
  const within = (c: Context<Env>): RequestContext => ({ ...context, access: c.get('access') });
  const done = async (own: RequestContext, runId: string): Promise<Done> => ({
    run: await findUiRun(own, runId),
  });
  const streamTo = (c: Context<Env>, makeTexts: (signal: AbortSignal) => AsyncGenerator<string>): Response => {
    const mayStay = c.get('mayStay');
    const guarded = (signal: AbortSignal) => (mayStay ? whileAllowed(makeTexts(signal), mayStay) : makeTexts(signal));
    return eventStream(guarded, context.streams);
  };

  app.use(setSecurityHeaders, guard);
  app.onError((thrown, c) => {
    const { status, body } = refused(thrown);
    if (body.error.code === 'INTERNAL') context.onError(thrown);
    return c.json(body, contentful(status));
  });
  app.notFound((c) => c.json(refusalOf(`Cannot find ${c.req.method} ${c.req.path}`), 404));

  app.get('/api/session', (c) => {
    const own = within(c);
    const { user, isReader } = own.access;
    const actions = offered(own);
    const readOnly = context.readOnly || (isReader && actions.length === 0);
    const session: Session = {
      version: version(),
      store: context.storeName,
      readOnly,
      user,
      actions,
      now: Date.now(),
    };
    return c.json(session);
  });
  app.get('/api/changes', (c) => {
    const wanted = readPositions(c);
    const texts = (signal: AbortSignal) =>
      wanted.length === 0
        ? changes.stream(signal)
        : mergeStreams([
            changes.stream(signal),
            ...wanted.map(({ runId, known, name }) => {
              const own = records.stream(runId, known + 1, known, signal);
              return name === undefined ? own : withName(own, name);
            }),
          ]);
    return streamTo(c, (signal) => withClosing(texts(signal), context.farewell));
  });
  app.get('/api/open', async (c) => c.json({ open: await changes.open() }));
  app.get('/api/runs', async (c) => {
    const [ids, newer] = [readIds(c), readCount(c, 'newer', 0)];
    if (ids.length > 0 || newer > 0) return c.json(await changedRuns(within(c), ids, newer));
    const status = c.req.query('status');
    const standings = status === undefined ? undefined : readStandings(status);
    const limit = readCount(c, 'limit', MOST_RUNS);
    const [pipeline, parent, tags] = [c.req.query('pipeline'), c.req.query('parent'), c.req.queries('tag')];
    return c.json({ runs: await listRuns(within(c), { pipeline, parent, standings, tags, limit }) });
  });
  app.get('/api/runs/:run', async (c) => c.json(await findUiRun(within(c), c.req.param('run'))));
  app.get('/api/runs/:run/records', async (c) => {
    const { runId } = await findRun(context, c.req.param('run'));
    const known = readLastEventId(c);
    const from = Math.max(known + 1, readCount(c, 'from', 1));
    return streamTo(c, (signal) => records.stream(runId, from, known, signal));
  });
  app.get('/api/runs/:run/records/:seq{[1-9][0-9]{0,14}}/changes', async (c) => {
    const { runId } = await findRun(context, c.req.param('run'));
    return c.json(await listChanges(context, runId, Number(c.req.param('seq'))));
  });
  app.get('/api/runs/:run/records/:seq{[1-9][0-9]{0,14}}/changes/file', async (c) => {
    const { runId } = await findRun(context, c.req.param('run'));
    const [path, from] = [c.req.query('path') ?? '', c.req.query('from')];
    return c.json(await readFileChange(context, { runId, seq: Number(c.req.param('seq')), path, from }));
  });
  app.get('/api/search', async (c) => {
    const after = readPosition(c);
    const [text, runId] = [c.req.query('text') ?? '', c.req.query('run')];
    return c.json(await searchRuns(context.store, { text, runId, after, signal: c.req.raw.signal, turn }));
  });
  app.get('/api/troubles', async (c) => c.json({ troubles: await alerts.current() }));
  app.get('/api/inbox', async (c) => {
    const all = c.req.query('all') === '1';
    return c.json({ items: await listItems(context, { all, runId: c.req.query('run') }) });
  });
  app.get('/api/inbox/:item', async (c) => c.json(await itemInFull(within(c), c.req.param('item'))));
  app.get('/api/pipelines', (c) => {
    const isOffered = offered(within(c)).includes('start');
    return c.json({ pipelines: isOffered ? listPipelines(context.pipelines) : [] });
  });
  app.get('/api/charts', (c) => c.json(charts()));
  app.get('/api/artifacts/:hash{[0-9a-f]{64}}', async (c) => {
    const content = await readContent(context.store, c.req.param('hash'));
    if (content === undefined) return c.notFound();
    return c.body(content, 200, { 'content-type': 'application/json; charset=utf-8' });
  });

  if (context.readOnly) app.post('*', (c) => c.json(READ_ONLY, 403));
  app.post('/api/runs', async (c) => {
    const own = within(c);
    requireAction(own, 'start');
    const request = await readBody(c, startRequest);
    if (request.begin === true) requireAction(own, 'resume');
    return c.json(await startPipeline(own, createRunActions(own), request));
  });
  for (const how of ['resume', 'retry'] as const) {
    app.post(`/api/runs/:run/${how}`, async (c) => {
      const own = within(c);
      requireAction(own, how);
      const run = await findRun(own, c.req.param('run'), how);
      const state = await createRunActions(own).continueRun(how, run);
      return c.json(await done(own, run.runId), state === 'begun' ? 200 : 202);
    });
  }
  app.post('/api/runs/:run/cancel', async (c) => {
    const own = within(c);
    requireAction(own, 'cancel');
    const runId = c.req.param('run');
    await createRunActions(own).cancel(runId, (await readBody(c, cancelRequest)).reason);
    return c.json(await done(own, runId));
  });
  app.post('/api/runs/:run/fork', async (c) => {
    const own = within(c);
    requireAction(own, 'fork');
    const request = await readBody(c, forkRequest);
    if (request.run === true) requireAction(own, 'resume');
    return c.json(await createRunActions(own).fork(c.req.param('run'), request));
  });
  app.post('/api/inbox/:item/answer', async (c) => {
    const own = within(c);
    return c.json(await answer(own, createRunActions(own), c.req.param('item'), await readBody(c, answerRequest)));
  });

  const asset = createAssets(assets);
  app.get('/', asset);
  app.get('/:file', asset);
  app.get('/assets/:file', asset);
  return app;
}

// --- internal ---

/** The default limit of a run list. */
const MOST_RUNS = 500;

const READ_ONLY = refusalOf(
  'Cannot change anything as this dashboard is read-only',
  'Start it without --read-only, or answer with phasegate inbox answer.',
);

/** Narrows a status to one that allows a body, as every refusal has one. */
function contentful(status: number): ContentfulStatusCode {
  return STATUSES.find((one) => one === status) ?? 500;
}

const STATUSES = [400, 403, 404, 409, 413, 503] as const;
