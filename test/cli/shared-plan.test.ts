/** Runs that share a damaged plan: each command says so, and its advice repairs them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite/driver.ts';
import { files, phasegate } from './cli.ts';

const WIDE = `import { definePipeline, phase, task } from 'phasegate';
  const phases = Array.from({ length: 200 }, (_, at) => phase('phase' + at, { tasks: [task('t', { run: () => at })] }));
  export default definePipeline({ name: 'wide', phases });`;

const at = ['--store', 'runs.db'];

/** Returns the folder of a store with two runs. Their plan was changed, or is missing. */
async function damagedStore(statement: string): Promise<string> {
  const cwd = await files({ 'wide.mjs': WIDE });
  for (const run of ['a', 'b']) await phasegate(['run', 'wide.mjs', '--run-id', run, ...at], { cwd });
  const db = connect(join(cwd, 'runs.db'), { readOnly: false });
  expect(db.prepare(statement).run().changes).toBe(1);
  db.close();
  return cwd;
}

it.each([
  ['was changed', "UPDATE artifacts SET content = replace(content, 'phase7', 'phase8')"],
  ['is missing', 'DELETE FROM artifacts'],
])('a plan that %s is stored again by the command that is printed', async (found, statement) => {
  const cwd = await damagedStore(statement);
  const shown = await phasegate(['show', 'a', ...at], { cwd });
  expect([shown.code, shown.stdout]).toEqual([2, '']);
  expect(shown.stderr.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(
      RegExp(
        `^Cannot read record 1 of run a as the plan that it shares with other runs, the content \\w{64}, ${found}$`,
        'u',
      ),
    ),
    'Store the plan again for all these runs, by another run of the same definition: phasegate run <pipeline> --detach. Cancel that run afterwards. Or restore the store from a copy of it.',
    'That command needs --store runs.db.',
  ]);
  const verified = await phasegate(['verify', ...at], { cwd });
  expect([verified.code, verified.stdout.match(/^✗/gmu)?.length]).toEqual([1, 2]);
  const { stdout: json } = await phasegate(['verify', 'a', '--json', ...at], { cwd });
  expect(JSON.parse(json)).toMatchObject({ runId: 'a', records: 0, good: 0, isPlanDamaged: true });
  const [, command = ''] = /phasegate (run <pipeline> --detach --store runs\.db)/u.exec(verified.stdout) ?? [];
  const { stdout } = await phasegate(command.replace('<pipeline>', 'wide.mjs').split(' '), { cwd });
  expect((await phasegate(['cancel', stdout.trim(), ...at], { cwd })).code).toBe(0);
  const after = await phasegate(['verify', ...at], { cwd });
  expect([after.code, after.stdout.match(/^✓/gmu)?.length]).toEqual([0, 3]);
});

it('doctor does not pass runs that it cannot read', async () => {
  const cwd = await damagedStore('DELETE FROM artifacts');
  const { code, stderr } = await phasegate(['doctor', ...at], { cwd });
  expect([code, stderr.match(/is left out\. Cannot read record 1/gu)?.length]).toEqual([1, 2]);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe('phasegate: for advice: phasegate verify --store runs.db');
});

it('graph names the damage, and no missing file', async () => {
  const cwd = await damagedStore('DELETE FROM artifacts');
  expect((await phasegate(['graph', 'a', ...at], { cwd })).stderr).toMatch(/^Cannot read record 1 of run a/u);
  expect((await phasegate(['graph', 'c', ...at], { cwd })).stderr).toMatch(
    /^Cannot draw "c" as there is no such file\./u,
  );
});
