/** Mistakes of a new user, and the messages that answer them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { files, main, phasegate } from './cli.ts';

/** Runs a command that is refused. @returns Its message. */
async function refused(args: readonly string[], content: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await phasegate(args, { cwd: await files(content) });
  expect([code, stdout]).toEqual([2, '']);
  return stderr;
}

describe('a new user', () => {
  it('is given URLs, not paths that exist only in a clone', async () => {
    const shown = await Promise.all([
      refused(['run', 'nothing.ts']),
      refused(['ls']),
      refused(['check', 'p.yaml'], { 'p.yaml': 'nam: p' }),
    ]);
    for (const text of shown) {
      expect(text).toMatch(/^Docs: https:\/\/github\.com\/\S+\/docs\/errors\.md#[A-Z_]+$/mu);
      expect(text).not.toMatch(/(?:^|\s)(?:docs|schema)\//u);
    }
    const failing = `import { definePipeline, phase } from 'phasegate';
      export default definePipeline({ name: 'p', phases: [
        phase('a', { tasks: (task) => [task('t', { run: () => 1 })], review: () => undefined })] });`;
    const { stdout } = await phasegate(['run', 'p.mjs'], { cwd: await files({ 'p.mjs': failing }) });
    expect(stdout).toMatch(/^ {4}Docs: https:\/\/github\.com\/\S+\/docs\/errors\.md#DECISION_INVALID$/mu);
    // The advice is printed with the decision, and at the end.
    expect(stdout.split('Return approve(), ')).toHaveLength(3);
  });

  it.each(['inbox', 'memory'])('is told that %s has no such command, with the likely one', async (group) => {
    expect(await refused([group, 'lss'])).toBe(
      `error: unknown command 'lss'\n(Did you mean ls?)\nAdd --help to see the commands and options.\n`,
    );
    expect(await refused([group, 'nonsense'])).toBe(
      `error: unknown command 'nonsense'\nAdd --help to see the commands and options.\n`,
    );
  });

  it('is told the entry of an export', async () => {
    const module = `import { machineOf } from 'phasegate';\nexport default machineOf();`;
    expect(await refused(['run', 'p.ts'], { 'p.ts': module })).toContain(
      `Import machineOf from 'phasegate/machines'.\n`,
    );
  });

  it('is told the likely export', async () => {
    const module = `import { definePipelin } from 'phasegate';\nexport default definePipelin({});`;
    expect(await refused(['run', 'p.ts'], { 'p.ts': module })).toContain(
      'phasegate has no export "definePipelin". Did you mean "definePipeline"?\n',
    );
  });

  it('is told that a task of a YAML file has no work, and that a list is empty', async () => {
    const yaml = 'name: p\nphases:\n  - name: a\n    tasks: [{ name: t }]\n  - name: b\n    tasks: []\n';
    const text = await refused(['check', 'p.yaml'], { 'p.yaml': yaml });
    expect(text).toContain('p.yaml:4:13: "command": expected a program with its arguments, or "agent"\n');
    expect(text).toContain('p.yaml:6:12: "tasks": expected 1 or more, found none\n');
  });

  it.each(['ts', 'yaml'])('has a first pipeline (%s) that `doctor` finds no problem in', async (language) => {
    const cwd = await files({});
    await phasegate(['init', language], { cwd });
    await phasegate(['run', `pipeline.${language}`], { cwd });
    const { code, stdout } = await phasegate(['doctor'], { cwd });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('✗')]);
  });

  // Windows removes no folder that a process works in.
  it.skipIf(process.platform === 'win32').each([['--help'], ['ls'], ['run', 'p.ts']])(
    'is told that the working folder was removed: %j',
    async (...args) => {
      const gone = join(await files({}), 'gone');
      await mkdir(gone);
      const shell = spawn('sh', ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', process.execPath, main, ...args], {
        cwd: gone,
      });
      let stderr = '';
      shell.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      await once(shell, 'close');
      expect({ code: shell.exitCode, stderr }).toEqual({
        code: 2,
        stderr:
          'Cannot start as the working folder was removed\n' +
          'Change to another folder, or to the same path if it is there again.\n' +
          'Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#FILE_UNREADABLE\n',
      });
    },
  );
});
