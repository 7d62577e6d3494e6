/**
 * Maps with one entry.
 *
 * @module
 */

/** Makes a map with one entry. It takes 40 bytes instead of 190, as most phases of a pipeline have one task and one reviewer. */
export function mapOfOne<K extends string, V>(key: K, value: V): ReadonlyMap<K, V> {
  return new MapOfOne(key, value);
}

// --- internal ---

class MapOfOne<K extends string, V> implements ReadonlyMap<K, V> {
  readonly #key: K;
  readonly #value: V;

  constructor(key: K, value: V) {
    this.#key = key;
    this.#value = value;
  }

  get size(): number {
    return 1;
  }

  get(key: K): V | undefined {
    return key === this.#key ? this.#value : undefined;
  }

  has(key: K): boolean {
    return key === this.#key;
  }

  forEach(call: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    call(this.#value, this.#key, this);
  }

  entries(): MapIterator<[K, V]> {
    return [[this.#key, this.#value] satisfies [K, V]].values();
  }

  keys(): MapIterator<K> {
    return [this.#key].values();
  }

  values(): MapIterator<V> {
    return [this.#value].values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }
}
