/** Connections to the dashboard: strangers can exhaust neither its file descriptors nor its availability. */
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { served, until } from './rig.ts';

describe('connections', () => {
  it('are 64 at most, and idle ones make room for active ones', async () => {
    const { dashboard, get } = await served();
    const strangers = Array.from({ length: 80 }, () => connect(dashboard.port, '127.0.0.1').resume());
    let closed = 0;
    for (const socket of strangers) socket.on('error', () => undefined).on('close', () => (closed += 1));
    onTestFinished(() => strangers.forEach((socket) => void socket.destroy()));
    await until(() => closed >= 16);
    expect(closed).toBe(16);
    await until(() => closed === strangers.length);
    expect((await get('/api/session')).status).toBe(200);
  });

  it('stay open for authenticated clients, longer than a request may take, and for no others', async () => {
    const { dashboard, ask, cookie } = await served();
    expect((await ask('/api/session')).headers.connection).toBe('close');
    expect((await ask('/', { headers: { cookie: 'phasegate=none' } })).headers.connection).toBe('close');
    expect((await ask('/api/session', { headers: { cookie, host: 'other' } })).headers.connection).toBe('close');

    const socket = connect(dashboard.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    const request = `GET /api/session HTTP/1.1\r\nhost: 127.0.0.1:${dashboard.port}\r\ncookie: ${cookie}\r\n\r\n`;
    const answers = () => text.split('HTTP/1.1 200 OK').length - 1;
    socket.write(request);
    await until(() => answers() === 1);
    // The connection of a stranger without a request closes in the meantime.
    const stranger = connect(dashboard.port, '127.0.0.1').resume();
    await new Promise((resolve) => stranger.on('error', () => undefined).on('close', resolve));
    socket.write(request);
    await until(() => answers() === 2);
  });
});
