/**
 * Rate limits that tasks share.
 *
 * @module
 */
import { createRateLimit, type RateLimit } from '../llm/call/rate-limit.ts';
import { serverOf } from './client.ts';
import type { OpenAIModel, OtherModel } from './options.ts';

/** The limit of a model: one for each given client or function, otherwise one for each pair of server and key. */
export function limitOf(options: OpenAIModel | OtherModel): RateLimit {
  const given = options.ask ?? options.client;
  if (given) return madeOnce(ofObjects, given);
  if (options.ask !== undefined) return createRateLimit();
  const { key = '', server = '' } = serverOf(options);
  return madeOnce(ofServers, `${server} ${key}`);
}

// --- internal ---

const ofObjects = new WeakMap<object, RateLimit>();
const ofServers = new Map<string, RateLimit>();

interface Cache<K> {
  get(key: K): RateLimit | undefined;
  set(key: K, limit: RateLimit): unknown;
}

function madeOnce<K>(cache: Cache<K>, key: K): RateLimit {
  const found = cache.get(key);
  if (found) return found;
  const made = createRateLimit();
  cache.set(key, made);
  return made;
}
