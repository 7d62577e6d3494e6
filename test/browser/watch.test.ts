/**
 * A run is watched in a browser while it goes on.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/index.ts';
import { fake, held } from '../rig.ts';
import { pipelineOf } from './runs.ts';
import { dashboard } from './dashboard.ts';
import { openTab } from './tab.ts';

describe('the dashboard', () => {
  it('opens with the address that was given, and keeps the token out of the bar', async () => {
    const { url, port } = await dashboard();
    const { page } = await openTab(url);
    await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${port}/`);
    expect(await page.title()).toBe('Needs you · phasegate');
  });

  it('shows a run as it goes on', async () => {
    const { store, url } = await dashboard();
    const work = held();
    const run = startRun(pipelineOf('story', [fake('draft', { outputs: [work.script] })]), { store, runId: 'r-1' });
    const { page } = await openTab(url);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('row', { name: /r-1.*running/u }).waitFor();
    work.release('text');
    await page.getByRole('row', { name: /r-1.*completed/u }).waitFor();
    expect((await run.result).status).toBe('completed');
  });
});
