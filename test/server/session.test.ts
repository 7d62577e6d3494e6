/** Cookies that outlive a server. */
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sessionSecret } from '../../src/cli/dashboard/session-secret.ts';
import { ownStore, served, type Served } from './rig.ts';

describe('a cookie', () => {
  it('is valid for the next server on the port with the same secret, and for no other', async () => {
    const { store } = await ownStore();
    const first = await served({ store, session: 'a secret' });
    const { port } = first.dashboard;
    await first.dashboard.close();
    const next = await served({ store, session: 'a secret', port });
    expect(await statusOf(next, first)).toBe(200);
    await next.dashboard.close();
    const other = await served({ store, session: 'another', port });
    expect(await statusOf(other, first)).toBe(401);
    await other.dashboard.close();
    const fresh = await served({ store, port });
    expect(await statusOf(fresh, first)).toBe(401);
    await fresh.dashboard.close();
    const again = await served({ store, port });
    expect(await statusOf(again, fresh)).toBe(401);
  });

  it('is invalid on every other port, although browsers send it there and the secret is the same', async () => {
    const { store } = await ownStore();
    const first = await served({ store, session: 'a secret' });
    const other = await served({ store, session: 'a secret' });
    expect(await statusOf(first, first)).toBe(200);
    expect(await statusOf(other, first)).toBe(401);
  });

  it('for reading is invalid for answers', async () => {
    const { store } = await ownStore();
    const looking = await served({ store, session: 'a secret', readOnly: true });
    const { port } = looking.dashboard;
    await looking.dashboard.close();
    const next = await served({ store, session: 'a secret', readOnly: true, port });
    expect(await statusOf(next, looking)).toBe(200);
    await next.dashboard.close();
    const answering = await served({ store, session: 'a secret', port });
    expect(await statusOf(answering, looking)).toBe(401);
  });
});

describe('sessionSecret()', () => {
  it('is created once for a store, readable by its owner alone', async () => {
    const { file } = await ownStore();
    const secret = sessionSecret(file, 'write');
    expect(secret).toMatch(/^[\w-]{43}$/u);
    expect(sessionSecret(file, 'write')).toBe(secret);
    expect(await readFile(`${file}.session`, 'utf8')).toBe(secret);
    if (process.platform !== 'win32') expect((await stat(`${file}.session`)).mode & 0o777).toBe(0o600);
  });

  it('is not created for a read-only dashboard, which uses the existing one', async () => {
    const { file } = await ownStore();
    expect(sessionSecret(file, 'read')).toBeUndefined();
    await expect(stat(`${file}.session`)).rejects.toThrow('ENOENT');
    const secret = sessionSecret(file, 'write');
    expect(secret).toMatch(/^[\w-]{43}$/u);
    expect(sessionSecret(file, 'read')).toBe(secret);
  });

  it('is absent without a store, or if the file next to it has no secret', async () => {
    const { file } = await ownStore();
    expect(sessionSecret(`${file}.none`, 'write')).toBeUndefined();
    await expect(stat(`${file}.none.session`)).rejects.toThrow('ENOENT');
    await writeFile(`${file}.session`, 'short');
    expect(sessionSecret(file, 'write')).toBeUndefined();
    await rm(`${file}.session`);
    if (process.platform !== 'win32') {
      // A file that others can read may have come with a repository.
      await writeFile(`${file}.session`, 'x'.repeat(43), { mode: 0o644 });
      expect(sessionSecret(file, 'write')).toBeUndefined();
      await rm(`${file}.session`);
      await writeFile(`${file}.known`, 'x'.repeat(43), { mode: 0o600 });
      await symlink(`${file}.known`, `${file}.session`);
      expect(sessionSecret(file, 'write')).toBeUndefined();
      await rm(`${file}.session`);
    }
    expect(sessionSecret(file, 'write')).toMatch(/^[\w-]{43}$/u);
  });
});

// --- internal ---

/** Returns the status with which a server answers the cookie of another, under its own cookie name. */
async function statusOf(asked: Served, { cookie }: Served): Promise<number> {
  const value = cookie.slice(cookie.indexOf('=') + 1);
  return (await asked.ask('/api/session', { headers: { cookie: `phasegate-${asked.dashboard.port}=${value}` } }))
    .status;
}
