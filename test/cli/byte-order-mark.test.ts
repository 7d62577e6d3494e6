/** Files that an editor has begun with a byte order mark, or saved in another encoding than UTF-8. */
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

it('are refused if they are not UTF-8: pipelines, fleets, plans, input and outputs of a person', async () => {
  const cwd = await files({ 'text.yaml': PIPELINE });
  const run = (...args: readonly string[]) => phasegate(args, { cwd, input: '{ "about": "café" }' });
  for (const [name, text] of [
    ['latin.yaml', PIPELINE.replace('echo draft', 'echo café')],
    ['latin.json', '{ "goal": "café" }'],
  ] as const) {
    await writeFile(join(cwd, name), text, 'latin1');
  }
  expect(await run('run', 'text.yaml', '--input-file', '-')).toMatchObject({ stderr: '' });
  const [item = ''] = (await run('inbox', '--json')).stdout
    .split('\n')
    .map((line) => /"id":"([^"]*)"/u.exec(line)?.[1]);
  const file = {
    stderr: expect.stringMatching(/^Cannot read .* as it is not UTF-8\nSave it as UTF-8\.\n/u) as string,
  };
  for (const args of [
    ['check', 'latin.yaml'],
    ['check', 'latin.json'],
    ['fleet', '--plan', 'latin.json'],
    ['run', 'text.yaml', '--input-file', 'latin.json'],
    ['inbox', 'answer', item, '--edit', 'latin.json'],
  ]) {
    expect(await run(...args)).toMatchObject(file);
  }
});
