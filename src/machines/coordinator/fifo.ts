/**
 * A first-in, first-out queue. `Array.shift` moves every item that is left, which adds up in a wide run.
 *
 * @module
 */

/** A queue of numbers. */
export interface Queue {
  items: number[];
  /** Where the first item is. */
  head: number;
}

/** An empty queue. */
export function createQueue(): Queue {
  return { items: [], head: 0 };
}

/** How many wait. */
export function length({ items, head }: Queue): number {
  return items.length - head;
}

/** Lines up behind all others. */
export function push(queue: Queue, item: number): void {
  queue.items.push(item);
}

/** Goes before all others. */
export function pushFirst(queue: Queue, item: number): void {
  if (queue.head === 0) queue.items.unshift(item);
  else {
    queue.head -= 1;
    queue.items[queue.head] = item;
  }
}

/** Takes the first. */
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

/** Takes the first that fits. Costs a step for each one before it. */
export function takeWhere(queue: Queue, fits: (item: number) => boolean): number | undefined {
  const at = queue.items.findIndex((item, index) => index >= queue.head && fits(item));
  return at === -1 ? undefined : queue.items.splice(at, 1)[0];
}
