/**
 * Harm to workers and their store. `npm run test:engines` takes 200 runs, and with `-u` writes the table of docs/scaling.md; the whole gate
 * takes a few runs, and leaves out what is slow.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresStore } from '../../src/postgres.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import type { RunStore } from '../../src/store.ts';
import { files, repository } from '../cli/cli.ts';
import { startProxy } from '../postgres/proxy.ts';
import { serverMissing, startServer, type Server } from '../postgres/server.ts';
import { randomFrom } from '../survive/kill/random.ts';
import { campaign, type Campaign } from './campaign.ts';
import { familyCampaign } from './family-campaign.ts';
import { machinesElsewhere, standStill, type Machine, type Workers } from './workers.ts';

/** Runs of each case, if all cases are wanted. */
const wanted = process.env['PHASEGATE_ENGINES'];
const RUNS = Number(wanted ?? '12');
const WORKERS = wanted === undefined ? 3 : 4;
/** Times that harm is done. */
const TIMES = wanted === undefined ? 3 : 10;
const SEED = Number(process.env['PHASEGATE_SEED'] ?? '1');

interface Plan extends Pick<Campaign, 'harm'> {
  /** Number of runs of each version; `family` for runs whose tasks start others. */
  readonly runs: Campaign['runs'] | 'family';
  readonly machines?: readonly Machine[];
  /** Workers that lose their runs. @default one each time that harm is done */
  readonly losers?: number;
}

interface Case {
  readonly name: string;
  /** True if it belongs to the whole gate. */
  readonly isQuick?: boolean;
  readonly plan: Plan;
}

/** A case with a server, which may be changed, and have another address for workers. */
interface ServerCase extends Omit<Case, 'plan'> {
  readonly settings?: Readonly<Record<string, string>>;
  readonly plan: (server: Server) => Promise<Plan & { readonly address?: string }>;
}

/** Runs that are submitted, of which each starts four or five on average. */
const ROOTS = wanted === undefined ? 4 : Math.round(RUNS / 22) * 4;

/** Kills workers at moments that the seed decides. */
function killAtRandom(seed: number): readonly ((workers: Workers) => Promise<void>)[] {
  const random = randomFrom(seed);
  return often(async ({ killBusy }) => {
    await new Promise((resolve) => setTimeout(resolve, 500 * random()));
    await killBusy();
  });
}

const often = <T>(one: T): readonly T[] => Array.from({ length: TIMES }, () => one);

const SAME: readonly Case[] = [
  { name: 'workers are killed', isQuick: true, plan: { runs: { 1: RUNS }, harm: often(({ kill }) => kill()) } },
  {
    name: 'two versions of the pipeline, each with workers of its own, which are killed',
    plan: {
      runs: { 1: RUNS / 2, 2: RUNS / 2 },
      machines: Array.from({ length: WORKERS }, (_, at) => ({ versions: [at % 2 === 0 ? '1' : '2'] })),
      harm: often(({ kill }) => kill()),
    },
  },
  {
    name: 'runs start others, are sent back, or cancelled; workers are killed at random moments',
    isQuick: true,
    plan: { runs: 'family', harm: killAtRandom(SEED) },
  },
];

const WITH_SERVER: readonly ServerCase[] = [
  {
    name: 'the server is killed, with a worker each time',
    isQuick: true,
    plan: async (server) => ({
      runs: { 1: RUNS },
      // On a slow machine, the server is away for longer than all of them wait.
      losers: WORKERS * TIMES,
      harm: often(async ({ kill }) => {
        await kill();
        await server.restart();
      }),
    }),
  },
  {
    name: 'a statement that stores records is lost, or the answer to it, and its connection is cut',
    plan: async (server) => {
      const proxy = await startProxy(server.socket);
      onTestFinished(() => proxy.close());
      const lose = (loss: 'statement' | 'answer') => () => proxy.lose(loss, '.records (run, seq');
      return {
        runs: { 1: RUNS },
        address: proxy.address,
        losers: 0,
        harm: often(lose('statement')).flatMap((one) => [one, lose('answer')]),
      };
    },
  },
  {
    name: 'workers of other machines stand still for longer than their leases last',
    plan: async () => ({
      runs: { 1: RUNS },
      machines: machinesElsewhere(WORKERS),
      harm: [0, 1].map((at) => (workers: Workers) => standStill(workers, at)),
    }),
  },
  {
    name: 'runs start others; workers of other machines stand still for longer than their leases last',
    plan: async () => ({
      runs: 'family',
      machines: machinesElsewhere(WORKERS),
      harm: [0, 1].map((at) => (workers: Workers) => standStill(workers, at)),
    }),
  },
  {
    name: 'the clock of one machine is ten minutes fast, and that of another slow; workers are killed',
    plan: async () => ({
      runs: { 1: RUNS },
      machines: [-600_000, 600_000, ...Array.from({ length: WORKERS - 2 }, () => 0)].map((clock, at) => ({
        name: `machine-${at}`,
        clock,
      })),
      harm: [({ kill }) => kill(), ({ kill }) => kill()],
    }),
  },
  {
    name: 'the server has fewer connections than its users want',
    settings: { max_connections: '6', superuser_reserved_connections: '0' },
    plan: async () => ({ runs: { 1: RUNS }, harm: often(({ kill }) => kill()) }),
  },
];

const rows: (readonly string[])[] = [];
const nameOf = (store: string, name: string) => `${store}: ${name}`;
const machines = Array.from({ length: WORKERS }, () => ({}));

/** Carries out a plan, and returns its tally with the number of runs. */
async function tallyOf(store: RunStore, { runs, ...plan }: Plan, env: Readonly<Record<string, string>>) {
  const common = { machines, ...plan, cwd: await files({}), store, env };
  if (runs === 'family') {
    const { faults, again, runs: count } = await familyCampaign({ ...common, roots: ROOTS });
    // A run has two tasks at most that work at once.
    return { none: faults, again: again / 2, count };
  }
  const { again, ...none } = await campaign({ ...common, runs });
  return { none, again, count: RUNS };
}

async function carryOut(title: string, store: RunStore, plan: Plan, env: Readonly<Record<string, string>> = {}) {
  onTestFinished(async () => store.close());
  const { none, again, count } = await tallyOf(store, plan, env);
  const { harm = [], losers = harm.length } = plan;
  expect(none).toEqual({ records: 0, committedAgain: 0, answers: 0 });
  // Only work of a worker that has lost its runs is done again: at most four runs each.
  expect(again).toBeLessThanOrEqual(4 * losers);
  rows.push([title, String(count), String(WORKERS), ...Object.values(none).map(String)]);
}

describe('several workers lose no run, and do nothing again that was committed, although', () => {
  for (const { name, isQuick = false, plan } of SAME)
    it.runIf(isQuick || wanted !== undefined)(
      nameOf('SQLite', name),
      async () => {
        const cwd = await files({});
        const path = join(cwd, 'runs.db');
        await carryOut(nameOf('SQLite', name), sqliteStore(path), plan, { PHASEGATE_STORE: path });
      },
      900_000,
    );

  const missing = serverMissing();
  const withServer = [
    ...SAME.map((one): ServerCase => ({ ...one, isQuick: false, plan: async () => one.plan })),
    ...WITH_SERVER,
  ];
  describe.skipIf(missing)(`with PostgreSQL${missing === undefined ? '' : ` (${missing})`}`, () => {
    for (const { name, isQuick = false, settings, plan } of withServer)
      it.runIf(isQuick || wanted !== undefined)(
        nameOf('PostgreSQL', name),
        async () => {
          const server = await startServer(settings);
          onTestFinished(() => server.remove());
          const { address = server.address, ...rest } = await plan(server);
          const store = postgresStore({ connectionString: server.address, connections: 2 });
          await carryOut(nameOf('PostgreSQL', name), store, rest, { PHASEGATE_STORE: address });
        },
        900_000,
      );
  });

  it('has its table in docs/scaling.md', async () => {
    const page = await readFile(join(repository, 'docs/scaling.md'), 'utf8');
    const [, before = '', table = '', after = ''] = TABLE.exec(page) ?? [];
    const names = [
      ...SAME.map(({ name }) => nameOf('SQLite', name)),
      ...withServer.map(({ name }) => nameOf('PostgreSQL', name)),
    ];
    if (wanted === undefined) {
      expect(
        table.split('\n').flatMap((line) => /^\| ((?:SQLite|PostgreSQL): .*?) *\|/u.exec(line)?.[1] ?? []),
      ).toEqual(names);
      return;
    }
    expect(rows.map(([name]) => name)).toEqual(names);
    const made = await format(tableOf(rows), { parser: 'markdown', printWidth: 120 });
    await expect(page.replace(TABLE, () => before + made + after)).toMatchFileSnapshot('../../docs/scaling.md');
  });
});

// --- internal ---

const TABLE = /(<!-- made by `npm run test:engines -- -u` -->\n\n)([\s\S]*?)(\n<!-- end -->)/u;

function tableOf(lines: readonly (readonly string[])[]): string {
  const head =
    '| although | runs | workers | records lost or doubled | committed tasks again | answers lost or doubled |';
  return [head, '| --- | ---: | ---: | ---: | ---: | ---: |', ...lines.map((cells) => `| ${cells.join(' | ')} |`)].join(
    '\n',
  );
}
