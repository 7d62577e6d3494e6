/**
 * The work as a workflow of DBOS: each task and each review is a step of its own.
 *
 * @module
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import pMap from 'p-map';
import { inWaves } from './waves.mjs';

/** Steps at once. With a thousand some wait for one of its ten connections until it gives up. */
const CONCURRENCY = 100;

/** Creates the engine for a shape. @param place The address of a Postgres. */
export async function create(shape, { url }) {
  DBOS.setConfig({ name: 'bench', applicationVersion: '1', systemDatabaseUrl: url, logLevel: 'warn' });
  const workflow = DBOS.registerWorkflow(
    () =>
      inWaves(shape, (steps) =>
        pMap(steps, ({ name, run }) => DBOS.runStep(run, { name }), { concurrency: CONCURRENCY }),
      ),
    { name: 'bench' },
  );
  await DBOS.launch();
  return async () => {
    await workflow();
  };
}
