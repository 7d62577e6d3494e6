/**
 * Applications with the dashboard as a part: real servers of Hono and Express, whose users come with a cookie.
 *
 * @module
 */
import { getRequestListener, serve } from '@hono/node-server';
import express from 'express';
import { Hono } from 'hono';
import type { Server } from 'node:http';
import { onTestFinished } from 'vitest';
import { createDashboard, type DashboardUser, type MountedDashboard, type MountOptions } from '../../src/dashboard.ts';
import type { RunStore } from '../../src/store.ts';
import { askAt, ownStore, type Answer, type JsonAnswer } from './rig.ts';

/** The path of the dashboard in each application. */
export const BASE = '/ops/runs';

/** Starts an application. @returns Its port. */
type Start = (dashboard: MountedDashboard) => Promise<number>;

/** Applications by their framework. */
export const FRAMEWORKS: Readonly<Record<'Hono' | 'Express', Start>> = {
  async Hono(dashboard) {
    const app = new Hono();
    app.get('/', (c) => c.text('the application'));
    app.all(`${BASE}/*`, (c) => dashboard.fetch(c.req.raw));
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
      onTestFinished(() => void server.close());
    });
  },
  async Express(dashboard) {
    const app = express();
    app.get('/', (_request, response) => void response.send('the application'));
    const listener = getRequestListener(dashboard.fetch, { overrideGlobalObjects: false });
    app.all([BASE, `${BASE}/{*path}`], (request, response) => void listener(request, response));
    return new Promise((resolve) => {
      const server: Server = app.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
    });
  },
};

/** Users by the value of their cookie. */
export const USERS: Readonly<Record<string, DashboardUser>> = {
  ada: { name: 'Ada', mayAnswer: true, mayAct: ['start', 'resume', 'retry', 'cancel', 'fork'] },
  ben: { name: 'Ben' },
  eve: { name: 'Eve', mayAnswer: ({ queue }) => queue === 'editors', mayAct: ['cancel'] },
};

/** A running application. */
export interface Application {
  readonly store: RunStore;
  readonly dashboard: MountedDashboard;
  readonly origin: string;
  /** Sends a request to the dashboard, as a page of it does. @param user The value of the cookie; none for ''. */
  readonly ask: (user: string, path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly get: (user: string, path: string) => Promise<JsonAnswer>;
  readonly post: (
    user: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<JsonAnswer>;
}

/** Starts an application on a new store. */
export async function application(start: Start, options: Partial<MountOptions> = {}): Promise<Application> {
  const store = options.store ?? (await ownStore()).store;
  const dashboard = createDashboard({
    store,
    basePath: BASE,
    authorize: (request) => USERS[/user=(\w+)/u.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''],
    ...options,
  });
  onTestFinished(() => dashboard.close());
  const origin = `http://127.0.0.1:${await start(dashboard)}`;
  const cookieOf = (user: string) => (user === '' ? {} : { cookie: `user=${user}` });
  return {
    store,
    dashboard,
    origin,
    ask: (user, path, headers = {}) => askAt(`${origin}${path}`, { headers: { ...cookieOf(user), ...headers } }),
    async get(user, path) {
      const { status, text } = await askAt(`${origin}${BASE}${path}`, { headers: cookieOf(user) });
      return { status, body: JSON.parse(text) };
    },
    async post(user, path, body = {}, headers = { origin }) {
      const { status, text } = await askAt(`${origin}${BASE}${path}`, {
        method: 'POST',
        headers: { ...cookieOf(user), 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status, body: JSON.parse(text) };
    },
  };
}
