/**
 * JSON from the server.
 *
 * @module
 */

/** Parses a response of the server. Server and app are of the same build, so the response has the declared type. */
export const parseResponse: <T>(text: string) => T = JSON.parse;
