/**
 * The page of an inspected run. A page of another origin replaces the hosted inspector: it announces that it listens,
 * and stores each message, as the receiver of `@statelyai/inspect` does.
 *
 * @module
 */
import { createServer } from 'node:http';
import { definePipeline, phase, startRun, task } from 'phasegate';
import { serveInspector } from 'phasegate/inspect';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTab } from './tab.ts';

const HOSTED = `<!doctype html><title>hosted</title><ol></ol><p></p><script>
  addEventListener('message', ({ data }) => {
    const value = data.snapshot && data.snapshot.value;
    const last = document.querySelector('li:last-of-type');
    if (typeof value !== 'string' || last?.textContent === value) return;
    const item = document.createElement('li');
    item.textContent = value;
    document.querySelector('ol').append(item);
  });
  document.querySelector('p').textContent = 'referrer: ' + document.referrer;
  parent.postMessage({ type: '@statelyai.connected' }, '*');
</script>`;

describe('the page of an inspected run', () => {
  it('passes events to the inspector in its frame, and shows the status', async () => {
    const server = await serveInspector({ inspector: await hosted() });
    onTestFinished(() => server.close());
    const one = phase('one', {
      tasks: [task('work', { run: () => 'done' })],
      review: ({ attempt }) => (attempt === 0 ? 'RETRY: more' : 'APPROVE'),
    });
    await startRun(definePipeline({ name: 'p', phases: [one] }), { inspect: server.inspect }).result;

    const { page } = await openTab(server.url);
    const frame = page.frameLocator('#inspector');
    await frame.getByText('approved').waitFor();
    expect(await frame.getByRole('listitem').allTextContents()).toEqual(['completed', 'approved']);
    // The address of the run is a secret, so it is not sent as referrer.
    expect(await frame.getByText('referrer:').textContent()).toBe('referrer: ');
    await page.getByText('Connected to the run. Messages: 4').waitFor();

    const two = phase('two', { tasks: [task('work', { run: () => 'done' })] });
    await startRun(definePipeline({ name: 'q', phases: [two] }), { inspect: server.inspect }).result;
    await expect
      .poll(() => frame.getByRole('listitem').allTextContents())
      .toEqual(['completed', 'approved', 'running', 'approved', 'completed']);
  });

  it('reports that the inspector does not answer, and that the run is no longer served', async () => {
    const silent = await hosted('<title>nothing</title>');
    const server = await serveInspector({ inspector: silent });
    const { page } = await openTab(server.url);
    await page.getByText(`Waiting for the inspector at ${new URL(silent).host}`).waitFor();

    const other = await serveInspector({ inspector: await hosted() });
    const { page: connected } = await openTab(other.url);
    await connected.getByText('Connected to the run.').or(connected.getByText('Connecting to the run.')).waitFor();
    await Promise.all([server.close(), other.close()]);
    await connected.getByText('The run has ended, or no longer serves its inspector.').waitFor();
  });
});

// --- internal ---

/** Serves a page under another host name of this machine, and so on another origin. */
async function hosted(html = HOSTED): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://localhost:${typeof address === 'object' ? address?.port : 0}/`;
}
