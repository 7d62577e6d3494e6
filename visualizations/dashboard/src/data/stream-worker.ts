/**
 * The shared worker that has the event stream of a browser.
 *
 * @module
 */
import { createHub } from './stream-hub.ts';

const add = createHub();

addEventListener('connect', (event) => {
  if (event instanceof MessageEvent) for (const port of event.ports) add(port);
});
