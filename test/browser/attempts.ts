/**
 * Attacks that a page of another origin may try on a dashboard.
 *
 * Each is the body of an async function in that page. `base` is the address of the dashboard, `item` a pending item,
 * `answer` a valid answer to it. It returns what the page could read; it throws or returns '' if the browser or the
 * server prevents the attack.
 *
 * @module
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const LOADED = `
  const loaded = (element, address) => new Promise((resolve) => {
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('');
    Object.assign(element, address);
    if (!(element instanceof HTMLImageElement)) document.head.append(element);
  });`;

/** All attacks, by name. */
export const ATTEMPTS = {
  'reads by fetch': `return (await fetch(base + '/api/runs', { credentials: 'include' })).text();`,
  'reads by fetch without asking': `
    return (await fetch(base + '/api/runs', { credentials: 'include', mode: 'no-cors' })).text();`,
  'answers in JSON': `
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(answer);
    const to = base + '/api/inbox/' + item.id + '/answer';
    return (await fetch(to, { method: 'POST', credentials: 'include', headers, body })).text();`,
  'answers as plain text': `
    const headers = { 'content-type': 'text/plain' };
    const body = JSON.stringify(answer);
    const to = base + '/api/inbox/' + item.id + '/answer';
    return (await fetch(to, { method: 'POST', credentials: 'include', mode: 'no-cors', headers, body })).text();`,
  'answers by a beacon': `
    const to = base + '/api/inbox/' + item.id + '/answer';
    navigator.sendBeacon(to, JSON.stringify(answer));
    return (await fetch(to, { credentials: 'include', mode: 'no-cors' })).text();`,
  'cancels as plain text': `
    const to = base + '/api/runs/' + item.run + '/cancel';
    return (await fetch(to, { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{}' })).text();`,
  'listens to events': `
    return new Promise((resolve) => {
      const source = new EventSource(base + '/api/changes', { withCredentials: true });
      source.addEventListener('changed', ({ data }) => resolve(data));
      source.onopen = () => resolve('open');
      source.onerror = () => {
        source.close();
        resolve('');
      };
    });`,
  'opens a WebSocket': `
    return new Promise((resolve) => {
      const socket = new WebSocket(base.replace('http', 'ws') + '/api/changes');
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('');
    });`,
  'takes it for a script': `${LOADED}
    return loaded(document.createElement('script'), { src: base + '/api/session' });`,
  'takes it for a style': `${LOADED}
    return loaded(document.createElement('link'), { rel: 'stylesheet', href: base + '/api/session' });`,
  'takes it for a picture': `${LOADED}
    return loaded(new Image(), { src: base + '/icon.svg' });`,
  // A form writes `name=value`, which is valid JSON if the equals sign is inside a string.
  'sends a form': `
    const frame = document.createElement('iframe');
    frame.name = 'sink';
    document.body.append(frame);
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype: 'text/plain', target: 'sink' });
    form.action = base + '/api/inbox/' + item.id + '/answer';
    const field = document.createElement('input');
    field.name = '{"nonce":"' + answer.nonce + '","reply":{"type":"decide","decision":"RETRY: a';
    field.value = 'b"}}';
    form.append(field);
    document.body.append(form);
    const answered = new Promise((resolve) => {
      frame.onload = resolve;
    });
    form.submit();
    await answered;
    try {
      return frame.contentDocument.body.innerText;
    } catch {
      return '';
    }`,
} as const;

/** The dashboard that an attempt is about. */
export interface Target {
  readonly base: string;
  readonly item: { readonly id: string; readonly nonce: string; readonly run: string };
}

/** Serves an empty page. @returns Its address. */
export async function foreignPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>foreign</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
}

/** Runs an attempt in the page. @returns The text that the page could read, or '' if it was prevented. */
export function attempt(page: Page, body: string, { base, item }: Target): Promise<unknown> {
  const answer = { nonce: item.nonce, reply: { type: 'decide', decision: 'APPROVE' } };
  const known = JSON.stringify({ base, item, answer });
  return page.evaluate(
    `(async ({ base, item, answer }) => { ${body} })(${known}).catch((error) => (error instanceof TypeError ? '' : String(error)))`,
  );
}
