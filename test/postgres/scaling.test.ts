/** The commands and programs of docs/scaling.md, with a server of this machine. */
import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { postgresStore } from '../../src/postgres.ts';
import { files, phasegateProcess, repository, says, start } from '../cli/cli.ts';
import { freePorts, serverMissing as restateMissing, startRestate, type RestateServer } from '../restate/server.ts';
import { describeWithServer } from './with-server.ts';

const PIPELINE = `
import { definePipeline, phase, task } from 'phasegate';
const one = phase('one', { tasks: [task('work', { run: async () => 'done' })] });
export default definePipeline({ name: 'scaled', phases: [one] });
`;

const text = await readFile(join(repository, 'docs/scaling.md'), 'utf8');
const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```/gmsu)].map(([, language, block = '']) => ({ language, block }));
const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ block }) => block.split('\n'))
  .flatMap((line) => (line.startsWith('npx phasegate ') ? [line.split(' ').slice(2)] : []));
const programs = blocks.filter(({ language }) => language === 'js').map(({ block }) => block);

describeWithServer('docs/scaling.md', (server) => {
  /** A folder with the pipeline, in which programs find the packages. */
  async function project(): Promise<string> {
    const cwd = await files({ 'pipeline.mjs': PIPELINE });
    await mkdir(join(cwd, 'node_modules'));
    for (const [name, target] of [
      ['phasegate', repository],
      ['pg', join(repository, 'node_modules/pg')],
      ['@restatedev', join(repository, 'node_modules/@restatedev')],
    ] as const)
      await symlink(target, join(cwd, 'node_modules', name));
    return cwd;
  }

  it('has commands that work', async () => {
    const cwd = await project();
    const env = { PHASEGATE_STORE: server.address };
    expect(commands.map(([name]) => name)).toEqual(['run', 'work', 'ls', 'inbox', 'ui']);
    for (const args of commands) {
      const [name] = args;
      if (name === 'work' || name === 'ui') {
        const going = start(args, { cwd, env });
        await says(going, name === 'work' ? 'first "scaled" completed' : 'http://');
        going.child.kill('SIGTERM');
        expect((await going.ended).code, args.join(' ')).toBe(0);
      } else expect((await phasegateProcess(args, { cwd, env })).code, args.join(' ')).toBe(0);
    }
    expect((await phasegateProcess(['ls'], { cwd, env })).stdout).toContain('first  completed');
  }, 60_000);

  it('has programs that work', async () => {
    const [worker = '', activity = ''] = programs.filter((program) => !program.includes('restate'));
    const cwd = await project();
    const env = { PHASEGATE_STORE: server.address };
    await writeFile(join(cwd, 'worker.mjs'), worker);
    await writeFile(join(cwd, 'activity.mjs'), activity);
    await writeFile(
      join(cwd, 'twice.mjs'),
      "import { activity } from './activity.mjs';\nawait activity('a1', {});\nawait activity('a1', {});\n",
    );
    const program = (file: string) =>
      spawn(process.execPath, [file], { cwd, env: { ...process.env, DATABASE_URL: server.address }, stdio: 'inherit' });
    const twice = program('twice.mjs');
    expect(await new Promise((resolve) => twice.on('exit', resolve))).toBe(0);
    const store = postgresStore({ connectionString: server.address });
    expect(await store.run('a1')).toMatchObject({ status: 'completed' });
    await phasegateProcess(['run', 'pipeline.mjs', '--detach', '--run-id', 'second'], { cwd, env });
    const working = program('worker.mjs');
    while ((await store.run('second'))?.status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 50));
    working.kill('SIGTERM');
    expect(await new Promise((resolve) => working.on('exit', resolve))).toBe(0);
    await store.close();
  }, 60_000);

  const withoutRestate = restateMissing();
  it.skipIf(withoutRestate)(
    `has programs for Restate that work${withoutRestate === undefined ? '' : ` (${withoutRestate})`}`,
    async () => {
      const restate = await startRestate();
      onTestFinished(() => restate.remove());
      const [port] = await freePorts(1);
      const [worker = '', client = '', ...others] = programs.filter((program) => program.includes('restate'));
      expect(others).toEqual([]);
      expect(programs.length).toBe(4);
      const cwd = await project();
      await writeFile(join(cwd, 'pipeline.mjs'), PIPELINE.replace('export default', 'const usual =').concat(ASKS));
      await writeFile(join(cwd, 'worker.mjs'), worker.replace('port: 9080', `port: ${port}`));
      await writeFile(
        join(cwd, 'client.mjs'),
        client.replace('http://localhost:8080', restate.ingress).replaceAll("'first'", "'asked'"),
      );
      const DATABASE_URL = server.address;
      const env = { ...process.env, DATABASE_URL, RESTATE_LOGGING: 'ERROR' };
      const working = spawn(process.execPath, ['worker.mjs'], { cwd, env, stdio: 'inherit' });
      onTestFinished(() => void working.kill('SIGKILL'));
      await register(restate, `http://localhost:${port}`);
      const store = postgresStore({ connectionString: DATABASE_URL });
      onTestFinished(async () => store.close());
      // The first one starts the run, and a later one finds the question.
      while ((await store.run('asked'))?.status !== 'completed') {
        const asking = spawn(process.execPath, ['client.mjs'], { cwd, env, stdio: 'inherit' });
        expect(await new Promise((resolve) => asking.on('exit', resolve))).toBe(0);
      }
      const [item] = await store.inbox({ runId: 'asked' });
      expect(item).toMatchObject({ outcome: 'APPROVE', who: 'ada' });
    },
    120_000,
  );
});

/** A pipeline with a person in it. */
const ASKS = `
import { human } from 'phasegate';
export default definePipeline({ name: 'asks', phases: [phase('draft', {
  tasks: [task('write', { run: async () => 'a text' })],
  review: human({ question: 'Good?' }),
})] });
`;

/** Registers a worker once it listens. */
async function register(restate: RestateServer, uri: string): Promise<void> {
  for (;;) {
    try {
      return await restate.register(uri);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
