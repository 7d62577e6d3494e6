/**
 * What programs read an inspected run with, in place of the page: the receiver of `@xstate/inspect`. It takes the WebSocket of browsers,
 * which Node has from version 22 on.
 *
 * @module
 */
export { createWebSocketReceiver } from '@xstate/inspect/lib/browser.js';
export type { ParsedReceiverEvent } from '@xstate/inspect/lib/types.js';
