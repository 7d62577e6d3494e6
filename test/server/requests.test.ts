/** Requests that are no whole ones. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { served } from './rig.ts';

it('a request that is hung up on in the middle of its body is nothing that whoever serves is told', async () => {
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
    // So that the server says when it begins to read.
    'expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [said] = await new Promise<readonly Buffer[]>((resolve) => socket.once('data', (part) => resolve([part])));
  expect(String(said)).toMatch(/^HTTP\/1\.1 100 Continue/u);
  await new Promise<void>((resolve) => socket.write('{"reason":', () => resolve()));
  socket.destroy();
  // What comes later is answered after that has been noticed.
  for (let count = 0; count < 5; count += 1) expect((await get('/api/session')).status).toBe(200);
  expect(told).toEqual([]);
});
