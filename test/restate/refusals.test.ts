import { readFile } from 'node:fs/promises';
import { format } from 'prettier';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../../src/index.ts';
import { REFUSED_PARTS } from '../../src/runtime/steps/unsupported.ts';
import { loadSdk } from '../../src/restate/sdk.ts';
import { restateRuns, restateServices } from '../../src/restate.ts';

const work = task('work', { run: () => 1 });
const plain = definePipeline({ name: 'plain', phases: [phase('a', { tasks: [work] })] });

describe('restateServices()', () => {
  it('refuses a pool, whose places only workers count', async () => {
    const tasks = [task('work', { run: () => 1, pool: 'model' })];
    const pooled = definePipeline({ name: 'pooled', phases: [phase('a', { tasks })] });
    await expect(restateServices({ pipelines: [pooled] })).rejects.toMatchObject({
      code: 'PIPELINE_UNSUPPORTED',
      message: expect.stringContaining('"work" of phase "a" waits for a place of pool "model"') as unknown,
    });
  });

  it('refuses two pipelines of one name', async () => {
    await expect(restateServices({ pipelines: [plain, plain] })).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
  });

  it('names the missing package and its version, and no other problem', async () => {
    const missing = (name: string) =>
      Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadSdk(() => Promise.reject(missing('@restatedev/restate-sdk')))).rejects.toMatchObject({
      code: 'PACKAGE_MISSING',
      hint: 'Run `npm install @restatedev/restate-sdk@^1.17.2`.',
    });
    await expect(loadSdk(() => Promise.reject(missing('zod')))).rejects.toThrow("Cannot find package 'zod'");
    await expect(loadSdk(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});

describe('docs/scaling.md', () => {
  it('has a table of all that is refused', async () => {
    const page = await readFile(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
    const rows = Object.values(REFUSED_PARTS).map(({ part, hint }) => `| ${part} | ${hint} |`);
    const table = ['| refused | instead |', '| --- | --- |', ...rows].join('\n');
    const made = await format(table, { parser: 'markdown', printWidth: 120 });
    const found = /(<!-- made by `npx vitest run test\/restate\/refusals.test.ts -u` -->\n\n)[\s\S]*?(\n<!-- end -->)/u;
    expect(page).toMatch(found);
    const next = page.replace(found, (_, before: string, after: string) => before + made + after);
    await expect(next).toMatchFileSnapshot('../../docs/scaling.md');
  });
});

describe('restateRuns()', () => {
  it('says that the server gives no answer', async () => {
    const runs = restateRuns({ ingress: 'http://127.0.0.1:9' });
    await expect(runs.get('run-1')).rejects.toMatchObject({
      code: 'RESTATE_FAILED',
      message: expect.stringContaining('http://127.0.0.1:9/phasegate-run/run-1/get') as unknown,
    });
  });
});
