/** Tests of ids of runs and leases. */
import { isValid } from 'ulid';
import { afterEach, expect, it, vi } from 'vitest';
import { newId } from '../src/model/values/new-id.ts';

const ENCODING = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

afterEach(() => vi.restoreAllMocks());

it('never makes an id twice', () => {
  const ids = Array.from({ length: 50_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('makes a ULID from each random byte once, and asks for more when all are used', async () => {
  const given: number[] = [];
  vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
    if (!(array instanceof Uint8Array)) throw new Error('No bytes were asked for');
    for (let at = 0; at < array.length; at++) {
      // Differs from call to call and from byte to byte.
      array[at] = (given.length * 8 + (given.length >> 5)) % 256;
      given.push(array[at] ?? 0);
    }
    return array;
  });
  vi.resetModules();
  const fresh = await import('../src/model/values/new-id.ts');
  const ids = Array.from({ length: 100 }, fresh.newId);
  expect(ids.every(isValid)).toBe(true);
  const characters = ids.flatMap((id) => id.slice(10).split('').toReversed());
  expect(characters).toEqual(given.slice(0, characters.length).map((byte) => ENCODING.charAt(byte >> 3)));
  expect(given.length).toBe(4 * 512);
});
