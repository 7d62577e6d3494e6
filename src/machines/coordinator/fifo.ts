/**
 * A first-in, first-out queue. `Array.shift` moves every item that is left, which adds up in a wide run.
 *
 * @module
 */

/** A queue of numbers. */
export interface Queue {
  items: number[];
  /** The index of the first item. */
  head: number;
}

/** Creates an empty queue. */
export function createQueue(): Queue {
  return { items: [], head: 0 };
}

/** Returns the number of items. */
export function length({ items, head }: Queue): number {
  return items.length - head;
}

/** Adds an item behind all others. */
export function push(queue: Queue, item: number): void {
  queue.items.push(item);
}

/** Adds an item before all others. */
export function pushFirst(queue: Queue, item: number): void {
  if (queue.head === 0) queue.items.unshift(item);
  else {
    queue.head -= 1;
    queue.items[queue.head] = item;
  }
}

/** Removes and returns the first item. */
export function take(queue: Queue): number | undefined {
  const item = queue.items[queue.head];
  if (item === undefined) return undefined;
  queue.head += 1;
  if (queue.head * 2 > queue.items.length) {
    queue.items = queue.items.slice(queue.head);
    queue.head = 0;
  }
  return item;
}

/** Removes and returns the first item that fits. Costs a step for each item before it. */
export function takeWhere(queue: Queue, fits: (item: number) => boolean): number | undefined {
  const at = queue.items.findIndex((item, index) => index >= queue.head && fits(item));
  return at === -1 ? undefined : queue.items.splice(at, 1)[0];
}
