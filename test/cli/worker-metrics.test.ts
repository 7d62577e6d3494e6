/** Health and metrics of `phasegate work`. */
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorker, definePipeline, memoryStore, phase, task } from '../../src/index.ts';
import { PhasegateError } from '../../src/model/errors/phasegate-error.ts';
import { serveMetrics, WorkerCounts } from '../../src/cli/run/worker-metrics.ts';
import { article } from './article.ts';
import { phasegate, says, start } from './cli.ts';

async function get(url: string, method = 'GET') {
  const response = await fetch(url, { method });
  return { status: response.status, text: await response.text() };
}

describe('phasegate work --metrics', () => {
  it('counts runs, and says that the store answers', async () => {
    const cwd = await article('go', 'ask');
    await phasegate(['run', 'p.mjs', '--detach', '--run-id', 'one'], { cwd });
    const worker = start(['work', 'p.mjs', '--metrics', '0'], { cwd });
    let stderr = '';
    worker.child.stderr?.on('data', (text: string) => (stderr += text));
    await says(worker, 'one "article" waits for a person');
    const url = /http:\S+/u.exec(stderr)?.[0] ?? '';
    const { status, text } = await get(url);
    expect(status).toBe(200);
    expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'phasegate_runs_working 0',
      'phasegate_concurrency 10',
      'phasegate_runs_ready 0',
      'phasegate_store_up 1',
      'phasegate_runs_taken_total 1',
      'phasegate_runs_done_total{status="suspended"} 1',
      'phasegate_runs_refused_total 0',
      'phasegate_store_errors_total 0',
      '',
    ]);
    expect(text).toContain('# TYPE phasegate_runs_done_total counter\n');
    expect(await get(url.replace('/metrics', '/health'))).toEqual({ status: 200, text: 'ok\n' });
    expect((await get(url.replace('/metrics', '/'))).status).toBe(404);
    expect((await get(url, 'POST')).status).toBe(404);
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  }, 60_000);

  it('refuses a port that is in use', async () => {
    const cwd = await article();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const { code, stderr } = await phasegate(['work', 'p.mjs', '--metrics', port], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot serve metrics on port ${port} as it is in use`);
  }, 60_000);

  it('has 503 if the store fails', async () => {
    const worker = createWorker(memoryStore(), [
      definePipeline({ name: 'p', phases: [phase('a', { tasks: [task('t', { run: () => 1 })] })] }),
    ]);
    const store = {
      ready: () => Promise.reject(new PhasegateError('STORE_FAILED', 'Cannot list the runs that are ready')),
    };
    const options = { worker, counts: new WorkerCounts(), store, pipelines: [] };
    const { url, close } = await serveMetrics(0, options);
    onTestFinished(async () => {
      close();
      await worker.stop();
    });
    expect(await get(url.replace('/metrics', '/health'))).toMatchObject({
      status: 503,
      text: expect.stringContaining('Cannot list the runs that are ready') as string,
    });
    expect((await get(url)).text).toContain('phasegate_store_up 0\n');
    expect((await get(url)).text).toContain('phasegate_runs_ready NaN\n');
  });
});
