/**
 * Dashboards for tests: the built app on a real server, with a temporary store file.
 *
 * The app is that of `dist`, or of the folder that `PHASEGATE_BUILD` names.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { RunStore } from '../../src/store.ts';
import { serveDashboard, type Dashboard, type DashboardOptions } from '../../src/server/serve.ts';
import { sqliteStore } from '../../src/sqlite.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const build = process.env['PHASEGATE_BUILD'] ?? 'dist';

/** The folder of the built app. */
export const assets = join(isAbsolute(build) ? build : join(repository, build), 'dashboard');

/** A dashboard and its store. */
export interface Served extends Dashboard {
  readonly store: RunStore;
  /** The file of the store. */
  readonly file: string;
}

/** Serves a dashboard on a new store. The end of the test removes both. */
export async function dashboard(options: DashboardOptions = {}): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'phasegate-browser-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'runs.db');
  const store = sqliteStore(file);
  onTestFinished(() => store.close());
  return { ...(await serveOn(store, options)), store, file };
}

/** Serves a dashboard on an existing store. It closes at the end of the test at the latest. */
export async function serveOn(store: RunStore, options: DashboardOptions = {}): Promise<Dashboard> {
  if (!existsSync(join(assets, 'index.html')))
    throw new Error(`${assets} is missing: run "npm run build" before the tests of the dashboard.`);
  const served = await serveDashboard(store, { assets, user: 'ada', ...options });
  onTestFinished(() => served.close());
  return served;
}
