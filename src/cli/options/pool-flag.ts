/**
 * The option `--pool`.
 *
 * @module
 */
import { InvalidArgumentError } from 'commander';
import type { PoolSizes } from '../../runtime/workers/places.ts';

/** Adds the size of a pool, such as `openai=8`, to those before. */
export function addPool(text: string, before: PoolSizes = {}): PoolSizes {
  const at = text.lastIndexOf('=');
  const [name, size] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^(?:[1-9]\d{0,5}|unlimited)$/u.test(size))
    throw new InvalidArgumentError('It must be a name and a size, such as openai=8 or openai=unlimited.');
  return { ...before, [name]: size === 'unlimited' ? size : Number(size) };
}
