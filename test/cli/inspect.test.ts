import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statesOf, watch } from '../inspect/watch.ts';
import { files, phasegateProcess as phasegate, start, type Going } from './cli.ts';
import { onTerminal, python } from './pty.ts';

/** A pipeline whose first phase waits for a file, so that an inspector can connect before it continues. */
const PIPELINE = `
  import { existsSync } from 'node:fs';
  import { definePipeline, escalate, phase, task } from 'phasegate';
  const wait = async () => {
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10));
    return 'done';
  };
  const one = phase('one', { tasks: [task('wait', { run: wait })], review: ({ attempt }) => (attempt ? 'APPROVE' : 'RETRY: more') });
  const two = phase('two', { after: ['one'], tasks: [task('work', { run: () => 2 })], review: ({ attempt }) => (attempt ? 'APPROVE' : escalate('who?')) });
  export default definePipeline({ name: 'shown', phases: [one, two] });
`;

describe('phasegate run --inspect', () => {
  it('prints the address, shows the run to clients, and ends with it', async () => {
    const cwd = await files({ 'pipeline.mts': PIPELINE });
    const going = start(['run', '--inspect', 'pipeline.mts', '--run-id', 'r1', '--store', 'runs.db'], { cwd });
    const url = await addressOf(going);
    const viewer = await watch(url.replace('http:', 'ws:'));
    await writeFile(join(cwd, 'go'), '');
    const { stderr } = await going.ended;
    expect(stderr).toBe(`Inspect the run at ${url}\n`);
    expect(await viewer.closed).toBe(1001);
    expect(statesOf(viewer.messages)).toEqual([
      'r1: running',
      'one: running reviewing retrying running reviewing approved',
      // The actor of the phase ends with the process, while the run waits.
      'two: running reviewing escalated cancelled',
    ]);

    // The run is resumed on a given port.
    const port = new URL(url).port;
    const answered = await phasegate(['inbox', 'answer', 'r1:', '--retry', 'more', '--store', 'runs.db'], { cwd });
    expect(answered.stderr).toBe('');
    const resumed = start(['resume', 'r1', `--inspect=${port}`, '--store', 'runs.db'], { cwd });
    expect(new URL(await addressOf(resumed)).port).toBe(port);
    expect((await resumed.ended).code).toBe(0);
  });

  it('shows a fork that runs at once', async () => {
    const cwd = await files({ 'pipeline.mts': PIPELINE, go: '' });
    await phasegate(['run', 'pipeline.mts', '--run-id', 'r1', '--store', 'runs.db'], { cwd });
    await rm(join(cwd, 'go'));
    const fork = ['fork', 'r1', '--at', '1', '--run', '--store', 'runs.db'];
    const going = start([...fork, '--inspect'], { cwd });
    const url = await addressOf(going);
    const viewer = await watch(url.replace('http:', 'ws:'));
    await writeFile(join(cwd, 'go'), '');
    expect((await going.ended).stderr).toBe(`Inspect the run at ${url}\n`);
    await viewer.closed;
    expect(statesOf(viewer.messages)).toContainEqual(
      expect.stringMatching(/^one: running reviewing retrying running reviewing approved$/u),
    );
  });

  it('keeps standard output for records', async () => {
    const cwd = await files({ 'pipeline.mts': PIPELINE, go: '' });
    const { stdout } = await phasegate(['run', 'pipeline.mts', '--json', '--no-store', '--inspect', '0'], { cwd });
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.startsWith('{')),
    ).toBe(true);
  });

  it('refuses a port that is in use before the run begins', async () => {
    const cwd = await files({ 'pipeline.mts': PIPELINE });
    const going = start(['run', 'pipeline.mts', '--inspect', '--no-store'], { cwd });
    const { port } = new URL(await addressOf(going));
    const { code, stdout, stderr } = await phasegate(['run', 'pipeline.mts', '--inspect', port], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `Cannot serve the inspector on port ${port} as it is in use\nName another port, or none for any free port.\nDocs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#PORT_UNUSABLE\n`,
    });
    going.child.kill('SIGKILL');
  });

  it('refuses an invalid port', async () => {
    const { code, stderr } = await phasegate(['run', '--inspect=all', 'pipeline.mts']);
    expect(code).toBe(2);
    expect(stderr).toContain("argument 'all' is invalid. It must be a port: a number from 0 to 65535.");
  });

  it.skipIf(!python)('keeps serving an ended run on a terminal until Ctrl-C', async () => {
    const cwd = await files({
      'pipeline.mts': `
        import { definePipeline, phase, task } from 'phasegate';
        export default definePipeline({ name: 'short', phases: [phase('one', { tasks: [task('work', { run: () => 1 })] })] });
      `,
    });
    const { code, text } = await onTerminal(['run', join(cwd, 'pipeline.mts'), '--inspect'], {
      'until Ctrl-C': '\u0003',
    });
    expect(text).toMatch(/The inspector stays open until Ctrl-C: http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\//u);
    // Ctrl-C does not count as an interruption of the ended run.
    expect(code).toBe(0);
  });
});

// --- internal ---

/** Returns the address that a command prints. */
async function addressOf({ child, ended }: Going): Promise<string> {
  const said = new Promise<string>((resolve) => {
    let text = '';
    child.stderr?.on('data', (more: string) => {
      text += more;
      const url = /^Inspect the run at (\S+)\n/mu.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  return Promise.race([
    said,
    ended.then(({ stderr }) => {
      throw new Error(`It ended without an address: ${stderr}`);
    }),
  ]);
}
