/**
 * A first pipeline in an empty folder without installed packages.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { files, phasegate, untimed } from './cli.ts';

/** The log line of the gate in the first pipelines. */
const RESEARCH = 'research: retry 1/2: Add a finding.';
const DRAFT = 'draft: retry 1/2: Name a number.';

describe('phasegate init', () => {
  it.each([
    { args: [], file: 'pipeline.ts', ends: '5 attempts, 2 corrections', asked: RESEARCH },
    { args: ['ts'], file: 'pipeline.ts', ends: '5 attempts, 2 corrections', asked: RESEARCH },
    { args: ['yaml'], file: 'pipeline.yaml', ends: '3 attempts, 1 correction', asked: DRAFT },
  ])('$args writes $file, which runs at once, and prints the next steps', async ({ args, file, ends, asked }) => {
    const cwd = await files({});
    const { code, stdout, stderr } = await phasegate(['init', ...args], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    const steps = [...stdout.matchAll(/npx phasegate (.*?) +#/gu)].map(([, step = '']) => step);
    expect(steps).toEqual([`run ${file}`, `check ${file}`, 'show latest']);
    for (const step of steps) {
      const ended = await phasegate(step.split(' '), { cwd });
      expect([step, ended.code, ended.stderr]).toEqual([step, 0, '']);
      if (!step.startsWith('run')) continue;
      expect(ended.stdout).toContain(`2 of 2 phases approved, ${ends}`);
      expect(untimed(ended.stdout)).toContain(asked);
    }
    expect((await phasegate(['doctor'], { cwd })).stdout).toContain('0 problems, 0 notices');
  });

  it('overwrites nothing', async () => {
    const cwd = await files({ 'pipeline.yaml': 'mine' });
    const { code, stdout, stderr } = await phasegate(['init', 'yaml'], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Cannot write "pipeline.yaml" as the file exists already\n');
    expect(await readFile(join(cwd, 'pipeline.yaml'), 'utf8')).toBe('mine');
  });

  it('names the JSON Schema of the installed package', async () => {
    const schemas = await Promise.all(
      [{}, { 'node_modules/phasegate/schema/pipeline.schema.json': '{}' }].map(async (there) => {
        const cwd = await files(there);
        await phasegate(['init', 'yaml'], { cwd });
        return (await readFile(join(cwd, 'pipeline.yaml'), 'utf8')).split('\n')[0];
      }),
    );
    expect(schemas).toEqual([
      '# yaml-language-server: $schema=https://raw.githubusercontent.com/phasegate/phasegate/main/schema/pipeline.schema.json',
      '# yaml-language-server: $schema=./node_modules/phasegate/schema/pipeline.schema.json',
    ]);
  });
});
