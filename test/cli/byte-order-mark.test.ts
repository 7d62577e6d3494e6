/** Files that an editor has begun with a byte order mark. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { files, phasegate } from './cli.ts';

const PIPELINE = `name: text
phases:
  - name: draft
    tasks:
      - { name: write, shell: true, command: echo draft }
    review:
      checks: [{ name: never, command: ['false'] }]
      maxRetries: 0
      onExhausted: escalate
`;

it('are read as JSON: input, outputs of a person, fleets and archives', async () => {
  const cwd = await files({
    'text.yaml': PIPELINE,
    'input.json': '\uFEFF{ "about": "locks" }',
    'better.json': '\uFEFF{ "write": "better" }',
    'fleet.json': '\uFEFF{ "agent": "command:true", "plan": { "goal": "Go." } }',
  });
  const run = (...args: readonly string[]) => phasegate(args, { cwd });
  const started = await run('run', 'text.yaml', '--run-id', 'text', '--input-file', 'input.json');
  expect(started.stderr).toBe('');
  const [item] = (await run('inbox', '--json')).stdout.split('\n').map((line) => /"id":"([^"]*)"/u.exec(line)?.[1]);
  expect(await run('inbox', 'answer', item ?? '', '--edit', 'better.json')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('resume', 'text')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('    better\n') as string,
  });
  expect(await run('check', 'fleet.json')).toMatchObject({ code: 0, stderr: '' });
  await run('export', 'text', '-o', 'text.jsonl');
  await writeFile(join(cwd, 'text.jsonl'), `\uFEFF${await readFile(join(cwd, 'text.jsonl'), 'utf8')}`);
  expect(await run('import', 'text.jsonl', '--store', 'other.db')).toMatchObject({ code: 0, stderr: '' });
});
