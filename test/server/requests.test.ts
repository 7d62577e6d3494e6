/** Incomplete requests. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { served } from './rig.ts';

it('a request whose client disconnects within the body is not reported to the owner of the server', async () => {
  const told: unknown[] = [];
  const { dashboard, cookie, get } = await served({ onError: (thrown) => told.push(thrown) });
  const host = `127.0.0.1:${dashboard.port}`;
  const socket = connect(dashboard.port, '127.0.0.1');
  const head = [
    'POST /api/runs/none/cancel HTTP/1.1',
    `host: ${host}`,
    `origin: http://${host}`,
    `cookie: ${cookie}`,
    'content-type: application/json',
    'content-length: 100',
    // The server replies when it begins to read the body.
    'expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [said] = await new Promise<readonly Buffer[]>((resolve) => socket.once('data', (part) => resolve([part])));
  expect(String(said)).toMatch(/^HTTP\/1\.1 100 Continue/u);
  await new Promise<void>((resolve) => socket.write('{"reason":', () => resolve()));
  socket.destroy();
  // Later requests are answered only after the disconnection was noticed.
  for (let count = 0; count < 5; count += 1) expect((await get('/api/session')).status).toBe(200);
  expect(told).toEqual([]);
});
