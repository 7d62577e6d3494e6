/**
 * Pools: work that is limited over all workers of a store.
 *
 * @module
 */

/** The choice of a pool. */
export interface PoolOption {
  /**
   * The pool whose size limits how many tries work at once, over all workers of a store: `pools` of `createWorker` has the sizes. `timeout`
   * includes the wait for a place. A run without a worker is not limited. @default none
   */
  readonly pool?: string | undefined;
}
