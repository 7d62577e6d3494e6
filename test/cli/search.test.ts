/** `phasegate search`: places in all runs or in one, the limit, and texts that are refused. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/store/sqlite/driver.ts';
import { article, containing, ranTo } from './article.ts';
import { phasegate } from './cli.ts';

it('prints the places of a text in all runs, or in one', async () => {
  const cwd = await article('go', 'no');
  const [one, other] = [await ranTo(cwd, 1), await ranTo(cwd, 1)];
  const all = await phasegate(['search', 'not LIKE'], { cwd });
  // The reason is in the decision, in the rejection, and in the end of the run.
  expect(all.stdout).toMatch(new RegExp(`^${other}  \\d+  draft: decision, attempt 1  Not like this\\.\n`, 'u'));
  expect(all.stdout).toContain(`\n${one}  `);
  expect(all.code).toBe(0);
  const single = await phasegate(['search', 'notes', one], { cwd });
  expect(single.stdout).toMatch(new RegExp(`^${one}  \\d+  research / read: output, attempt 1  notes\n$`, 'u'));
  const [hit] = (await phasegate(['search', 'notes', '--json'], { cwd })).stdout.split('\n');
  expect(JSON.parse(hit ?? '')).toMatchObject({
    runId: other,
    in: 'output',
    phase: 'research',
    attempt: 1,
    match: 'notes',
  });
  expect(await phasegate(['search', 'notes', '--limit', '1'], { cwd })).toMatchObject({
    stdout: containing(`${other}  `),
    stderr: containing('only the first 1 places are shown'),
  });
  expect(await phasegate(['search', 'absent'], { cwd })).toEqual({ code: 0, stdout: '', stderr: 'nothing found\n' });
  expect(await phasegate(['search', ' '], { cwd })).toMatchObject({ code: 2, stderr: containing('the text is blank') });
});

it.each([
  // Records and the number of records in the row: a search finds nothing behind the damage.
  'DELETE FROM records WHERE seq = 1',
  'UPDATE runs SET seq = 1',
])('exits with 1 if a run could not be read whole: %s', async (statement) => {
  const cwd = await article('go', 'no');
  const run = await ranTo(cwd, 1);
  const db = connect(join(cwd, '.phasegate/runs.db'), { readOnly: false });
  expect(db.prepare(statement).run().changes).toBe(1);
  db.close();
  const other = await ranTo(cwd, 1);
  const damage = `run ${run} is damaged: see phasegate verify ${run}\n`;
  for (const named of [[], [run]])
    expect(await phasegate(['search', 'absent', ...named], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: `${damage}nothing found in all that could be read\n`,
    });
  const found = await phasegate(['search', 'notes', '--json'], { cwd });
  expect([found.code, found.stderr]).toEqual([1, damage]);
  const runs = found.stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly runId: string }).runId);
  expect(new Set(runs)).toEqual(new Set([other]));
  expect((await phasegate(['search', 'notes', other], { cwd })).code).toBe(0);
});
