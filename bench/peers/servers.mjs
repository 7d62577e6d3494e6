/**
 * The servers that peers need: a Restate server, and a Postgres. Each has a folder of its own, and listens on this machine only.
 *
 * @module
 */
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa, execaSync } from 'execa';

/** Milliseconds for starting a server, and for stopping one before it is killed. */
const START_MS = 60_000;
const STOP_MS = 20_000;

/** Finds the program of Restate. @returns Its path, `undefined` if it is not installed. */
export function restateProgram() {
  try {
    return createRequire(import.meta.url).resolve(
      `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
    );
  } catch {
    return undefined;
  }
}

/** Finds the newest Postgres. @returns The folder of its programs, `undefined` if it is not installed. */
export function postgresPrograms() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...process.env.PATH.split(delimiter)];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Starts a Restate server. @returns Its addresses, its process, and a function that stops it. */
export async function startRestate(folder) {
  const [ingress, admin, fabric] = await Promise.all([freePort(), freePort(), freePort()]);
  const server = launch(restateProgram(), ['--no-logo', '--listen-mode', 'tcp', '--node-name', 'bench'], folder, {
    env: {
      RESTATE_BASE_DIR: join(folder, 'data'),
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: fabric,
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_INGRESS__BIND_PORT: ingress,
      RESTATE_ADMIN__BIND_PORT: admin,
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
  });
  const place = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}`, pid: server.pid };
  await server.ready(async () => {
    const urls = [`${place.admin}/health`, `${place.ingress}/restate/health`];
    const answers = await Promise.all(urls.map((url) => fetch(url)));
    return answers.every(({ ok }) => ok);
  });
  return { place, stop: server.stop };
}

/** Starts a Postgres on a socket. @returns Its address, its process, and a function that stops it. */
export async function startPostgres(folder) {
  const programs = postgresPrograms();
  // Short, as the path of a socket is.
  const sockets = mkdtempSync(join(tmpdir(), 'bench-'));
  const user = userOf(folder, sockets);
  const data = join(folder, 'data');
  const options = ['-D', data, '-U', 'bench', '-A', 'trust', '--no-locale', '-E', 'UTF8', '--no-instructions'];
  try {
    await execa(join(programs, 'initdb'), options, { ...user, cwd: folder });
    const server = launch(join(programs, 'postgres'), ['-D', data, '-k', sockets, '-h', ''], folder, {
      ...user,
      // The signal by which Postgres ends its connections and then itself.
      killSignal: 'SIGINT',
    });
    await server.ready(async () => readFileSync(join(folder, 'log'), 'utf8').includes('ready to accept connections'));
    const stop = async () => {
      await server.stop();
      rmSync(sockets, { recursive: true });
    };
    return { place: { url: `postgresql://bench@localhost/bench?host=${sockets}`, pid: server.pid }, stop };
  } catch (error) {
    rmSync(sockets, { recursive: true, force: true });
    throw error;
  }
}

/** Says as whom Postgres runs, which refuses root. Makes the folders theirs. */
function userOf(...folders) {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag) => Number(execaSync('id', [flag, 'postgres']).stdout);
  const user = { uid: idOf('-u'), gid: idOf('-g') };
  for (const folder of folders) chownSync(folder, user.uid, user.gid);
  return user;
}

/** Starts a program. Its messages go to the file `log` of its folder. */
function launch(program, args, folder, { killSignal = 'SIGTERM', ...options }) {
  const file = join(folder, 'log');
  const log = openSync(file, 'a');
  // execa kills it when this process ends by itself, or by a signal.
  const server = execa(program, args, { ...options, cwd: folder, stdio: ['ignore', log, log], reject: false });
  closeSync(log);
  const stop = async () => {
    server.kill(killSignal);
    const timer = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
    await server;
    clearTimeout(timer);
  };
  /** Waits until the server answers. */
  const ready = async (answers) => {
    const until = performance.now() + START_MS;
    while (!(await answers().catch(() => false))) {
      if (server.exitCode !== null || performance.now() > until) {
        await stop();
        throw new Error(`${basename(program)} did not start: ${readFileSync(file, 'utf8').slice(-1000)}`);
      }
      await sleep(20);
    }
  };
  return { pid: server.pid, ready, stop };
}

/** Finds a port that nothing listens on. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
