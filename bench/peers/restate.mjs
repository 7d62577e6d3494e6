/**
 * The work as a handler of Restate: each task and each review is a step of its own.
 *
 * @module
 */
import { createServer } from 'node:http2';
import { createEndpointHandler, RestatePromise, service } from '@restatedev/restate-sdk';
import { inWaves } from './waves.mjs';

// The SDK calls it, and Node has it from version 22 on.
Promise.withResolvers ??= () => {
  let settle;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
};

/** Creates the engine for a shape. @param place The addresses of a server. */
export async function create(shape, { ingress, admin }) {
  const bench = service({
    name: 'bench',
    handlers: {
      run: (ctx) => inWaves(shape, (steps) => RestatePromise.all(steps.map(({ name, run }) => ctx.run(name, run)))),
    },
  });
  const logger = ({ level }, ...message) => level === 'error' && console.error(...message);
  const server = createServer(createEndpointHandler({ services: [bench], logger }));
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${server.address().port}` });
  return () => post(`${ingress}/bench/run`);
}

/** Sends a request, and waits for its answer. */
async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
}
