/**
 * JSON from the server.
 *
 * @module
 */

/** Reads what the server has written. It is of the same build as the app, so what it sends has the type that it says. */
export const fromWire: <T>(text: string) => T = JSON.parse;
