/**
 * A server of Restate with a folder of its own, and workers that are registered with it.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { restateServices, type RestateServicesOptions } from '../../src/restate.ts';

/** A server that can be killed and started again. */
export interface RestateServer {
  /** Address of its ingress. */
  readonly ingress: string;
  /** Registers a worker by its address. */
  readonly register: (uri: string) => Promise<void>;
  /** Asks for rows about invocations and state. */
  readonly query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Kills it as a loss of power does, and starts it again. */
  readonly restart: () => Promise<void>;
  /** Stops it and deletes its folder. */
  readonly remove: () => Promise<void>;
}

/** Says why tests with a server are skipped; `undefined` if there is one. */
export function serverMissing(): string | undefined {
  return existsSync(program() ?? '') ? undefined : `@restatedev/restate-server has no program for this machine`;
}

/** Starts a server. @param env Settings, such as `RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT`. */
export async function startRestate(env: Readonly<Record<string, string>> = {}): Promise<RestateServer> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-'));
  const [ingressPort, adminPort, ownPort] = await freePorts(3);
  const ingress = `http://127.0.0.1:${ingressPort}`;
  const admin = `http://127.0.0.1:${adminPort}`;
  let child = await start();

  async function start(): Promise<ChildProcess> {
    const log = openSync(join(folder, 'server.log'), 'a');
    const where = ['--base-dir', folder, '--node-name', 'n1', '--bind-ip', '127.0.0.1', '--bind-port', String(ownPort)];
    const made = spawn(program() ?? '', ['--no-logo', '--listen-mode', 'tcp', ...where], {
      stdio: ['ignore', log, log],
      env: {
        ...process.env,
        RESTATE_INGRESS__BIND_PORT: String(ingressPort),
        RESTATE_ADMIN__BIND_PORT: String(adminPort),
        RESTATE_DEFAULT_NUM_PARTITIONS: '1',
        RESTATE_DISABLE_TELEMETRY: 'true',
        ...env,
      },
    });
    for (;;) {
      if (made.exitCode !== null) throw new Error(`restate-server has ended with ${made.exitCode}, see ${folder}`);
      if ((await isHealthy(`${admin}/health`)) && (await isHealthy(`${ingress}/restate/health`))) return made;
      await setTimeout(20);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const over = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await over;
  }

  async function post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(`${admin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  return {
    ingress,
    async register(uri) {
      await post('/deployments', { uri, force: true });
    },
    async query(sql) {
      const { rows } = (await post('/query', { query: sql })) as { rows: readonly Readonly<Record<string, unknown>>[] };
      return rows;
    },
    async restart() {
      await end('SIGKILL');
      child = await start();
    },
    async remove() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A worker in this process. */
export interface Worker {
  readonly uri: string;
  readonly stop: () => Promise<void>;
}

/** Starts a worker. @param port @default any */
export async function startWorker(options: RestateServicesOptions, port = 0): Promise<Worker> {
  const services = await restateServices(options);
  const { createEndpointHandler } = await import('@restatedev/restate-sdk');
  const server = createHttp2Server(createEndpointHandler({ services, logger: () => undefined }));
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    uri: `http://127.0.0.1:${address.port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** Returns ports that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

// --- internal ---

/** The program of the server; `undefined` if the package has none for this machine. */
function program(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
  } catch {
    return undefined;
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
