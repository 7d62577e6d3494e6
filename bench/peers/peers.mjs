/**
 * The engines that are compared, and what each needs on this machine.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { postgresPrograms, restateProgram, startPostgres, startRestate } from './servers.mjs';

const require = createRequire(import.meta.url);
const versionOf = (path) => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8')).version;
const installed = (name) => versionOf(`node_modules/${name}/package.json`);
const told = (program) =>
  execaSync(program, ['--version'])
    .stdout.split(' ')
    .find((word) => /^\d/.test(word));

const INSTALL = 'npm install';
const COMPILE = `npm explore better-sqlite3 -- npx --yes node-gyp rebuild --release --nodedir=${dirname(dirname(process.execPath))}`;
const POSTGRES = 'apt-get install postgresql';

/** A file for SQLite instead of a server. */
const inFile = (folder) => ({ place: { file: join(folder, 'runs.db') }, stop: () => undefined });
const nowhere = () => ({ place: {}, stop: () => undefined });

/**
 * The engines. Those of one `group` are compared with its first. `name` gives the versions. `needs` are commands that bring
 * what may be missing, by functions that say if it is there. `start` makes the place where runs are stored.
 */
export const PEERS = [
  {
    title: 'phasegate',
    engine: 'phasegate',
    group: 'in memory',
    name: () => `phasegate ${versionOf('../../package.json')}`,
    needs: [],
    start: nowhere,
  },
  {
    title: 'LangGraph.js',
    engine: 'langgraph',
    group: 'in memory',
    name: () => `LangGraph.js ${installed('@langchain/langgraph')}`,
    needs: [[INSTALL, () => installed('@langchain/langgraph')]],
    start: nowhere,
  },
  {
    title: 'Mastra',
    engine: 'mastra',
    group: 'in memory',
    name: () => `Mastra ${installed('@mastra/core')}`,
    needs: [[INSTALL, () => installed('@mastra/core')]],
    start: nowhere,
  },
  {
    title: 'phasegate with SQLite',
    engine: 'phasegate',
    group: 'stored',
    name: () => 'phasegate, SQLite',
    needs: [],
    start: inFile,
  },
  {
    title: 'LangGraph.js with SQLite',
    engine: 'langgraph',
    group: 'stored',
    name: () => `LangGraph.js, SQLite (checkpoint-sqlite ${installed('@langchain/langgraph-checkpoint-sqlite')})`,
    needs: [
      [INSTALL, () => installed('@langchain/langgraph-checkpoint-sqlite')],
      [COMPILE, () => new (require('better-sqlite3'))(':memory:').close()],
    ],
    start: inFile,
  },
  {
    title: 'Restate',
    engine: 'restate',
    group: 'stored',
    name: () => `Restate SDK ${installed('@restatedev/restate-sdk')}, server ${told(restateProgram())}`,
    needs: [
      [INSTALL, () => installed('@restatedev/restate-sdk')],
      [INSTALL, () => told(restateProgram())],
    ],
    start: startRestate,
  },
  {
    title: 'DBOS',
    engine: 'dbos',
    group: 'stored',
    name: () => `DBOS ${installed('@dbos-inc/dbos-sdk')}, Postgres ${told(join(postgresPrograms(), 'postgres'))}`,
    needs: [
      [INSTALL, () => installed('@dbos-inc/dbos-sdk')],
      [POSTGRES, () => told(join(postgresPrograms(), 'postgres'))],
    ],
    start: startPostgres,
  },
];

/** Finds the command that brings what a peer needs. @returns `undefined` if all is there. */
export function missingOf({ needs }) {
  return needs.find(([, isThere]) => {
    try {
      isThere();
      return false;
    } catch {
      return true;
    }
  })?.[0];
}
