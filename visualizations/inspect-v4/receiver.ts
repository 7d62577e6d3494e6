/**
 * The receiver of `@xstate/inspect`, by which programs read an inspected run instead of the page. It needs the global WebSocket,
 * which Node has from version 22 on.
 *
 * @module
 */
export { createWebSocketReceiver } from '@xstate/inspect/lib/browser.js';
export type { ParsedReceiverEvent } from '@xstate/inspect/lib/types.js';
