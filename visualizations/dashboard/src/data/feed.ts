/**
 * The one event stream of the app: changes, and the records of the run that is shown.
 *
 * @module
 */
import { type EventHandlers, listen, type Wanted } from './stream.ts';

/** The event stream of the app. */
export interface Feed {
  /** Opens the stream for the handlers of changes. @returns A function that closes it. */
  subscribe(handlers: EventHandlers): () => void;
  /**
   * Also receives the records of a run while the stream is open. It follows one run at a time.
   *
   * @param last Returns the number of the last record that the page has. It is called each time the stream opens.
   * @returns A function that ends it.
   */
  follow(run: string, last: () => number, handlers: EventHandlers): () => void;
}

/** The event stream of this app. */
export const feed: Feed = createFeed();

// --- internal ---

interface Followed {
  readonly run: string;
  readonly last: () => number;
  readonly handlers: EventHandlers;
}

function createFeed(): Feed {
  let handlersOfChanges: EventHandlers | undefined;
  let followed: Followed | undefined;
  let close: (() => void) | undefined;
  let isDue = false;

  /** Opens the stream again after the current task. So a change of pages opens it only once. */
  function open(): void {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      close?.();
      close = handlersOfChanges && listen(() => wantedOf(followed), both(handlersOfChanges, followed?.handlers ?? {}));
    });
  }

  return {
    subscribe(handlers) {
      handlersOfChanges = handlers;
      open();
      return () => {
        if (handlersOfChanges !== handlers) return;
        handlersOfChanges = undefined;
        open();
      };
    },
    follow(run, last, handlers) {
      const own = { run, last, handlers };
      followed = own;
      open();
      return () => {
        if (followed !== own) return;
        followed = undefined;
        open();
      };
    },
  };
}

function wantedOf(followed: Followed | undefined): Wanted | undefined {
  return followed && { run: followed.run, after: followed.last() };
}

function both(one: EventHandlers, other: EventHandlers): EventHandlers {
  const shared = Object.entries(one).map(([name, handle]): [string, EventHandlers[string]] => {
    const also = other[name];
    return [name, also ? (event) => [handle, also].forEach((each) => each(event)) : handle];
  });
  return { ...other, ...Object.fromEntries(shared) };
}
