/** Commands that are refused to an agent: a real one, which calls the built command line from its turn. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { noteRefusal } from '../../src/agents/agent-marker.ts';
import { agentTask, commandAgent, type Agent } from '../../src/agents.ts';
import { runProgram } from '../../src/cli/program.ts';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, main, phasegate } from '../cli/cli.ts';
import { folderOfTest } from './rig.ts';

/** An agent that gives commands of phasegate, and prints the error of each. */
function agentGiving(folder: string, ...commands: readonly (readonly string[])[]): Agent {
  const program = join(folder, 'agent.mjs');
  writeFileSync(
    program,
    `import { spawnSync } from 'node:child_process';
    for (const args of ${JSON.stringify(commands)}) {
      const { stderr, status } = spawnSync(process.execPath, [${JSON.stringify(main)}, ...args], { encoding: 'utf8' });
      console.log(status, stderr.split('\\n')[0]);
    }`,
  );
  return commandAgent([process.execPath, program], { name: 'sly' });
}

/** The warnings of a run whose only task is the agent's. */
async function warningsBy(run: Agent['run']) {
  const agent: Agent = { name: 'sly', reports: { tokens: false, cost: false }, access: ['write'], run };
  const build = phase('build', {
    tasks: [agentTask('make', { agent, workspace: folderOfTest(), retry: { attempts: 1 } })],
  });
  return (await startRun(definePipeline({ name: 'p', phases: [build] })).result).warnings;
}

/** The file of refused commands, as the agent's process knows it. */
function fileIn(env: Readonly<Record<string, string>> | undefined): string {
  return env?.['PHASEGATE_REFUSALS'] ?? '';
}

describe('a command that only a person may give', () => {
  it('becomes a warning of the phase whose agent gave it', async () => {
    const cwd = folderOfTest();
    const agent = agentGiving(
      cwd,
      ['inbox', 'answer', 'r1:3', '--approve'],
      ['apply', 'r1'],
      ['ui', '--store', 'runs.db'],
      ['fleet', 'Do it.', '--agent', 'command:true', '--yes'],
      ['ls'],
    );
    const build = phase('build', { tasks: [agentTask('make', { agent, workspace: cwd })], review: () => 'APPROVE' });
    const store = sqliteStore(join(cwd, 'runs.db'));
    const pipeline = definePipeline({ name: 'p', phases: [build] });
    const { outputs, warnings } = await startRun(pipeline, { runId: 'r1', store }).result;
    await store.close();
    expect(outputs['build']?.make).toMatch(/^2 .*Cannot answer item r1:3 as an agent that phasegate has started asks/u);
    const tried = [
      'answer item r1:3',
      'apply the work of run r1',
      'serve a dashboard that takes answers',
      'start a fleet without an approval',
    ];
    expect(warnings).toEqual(
      tried.map((action) => ({
        phase: 'build',
        code: 'AGENT_COMMAND_REFUSED',
        message: expect.stringMatching(
          `^Agent "sly" for "make" tried to ${action}, and was refused at 20\\d\\d-[-T:.0-9]+Z$`,
        ) as string,
      })),
    );
    for (const how of [[], ['--timeline']]) {
      const shown = await phasegate(['show', 'r1', '--store', 'runs.db', ...how], { cwd });
      expect(shown.stdout).toContain('warning build: Agent "sly" for "make" tried to answer item r1:3');
    }
    const events = await phasegate(['events', 'r1', '--store', 'runs.db'], { cwd });
    expect(events.stdout).toContain('tried to apply the work of run r1, and was refused');
    const findings = await phasegate(['doctor', '--store', 'runs.db'], { cwd });
    expect(findings.stdout).toContain('AGENT_COMMAND_REFUSED\n  4 times an agent tried a command that only a person');
  });

  it('is recorded if the turn fails as well', async () => {
    const warnings = await warningsBy(({ env }) => {
      noteRefusal('answer item x', env);
      return Promise.reject(new Error('It fell.'));
    });
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('tried to answer item x,')]);
  });

  it('is recorded in few lines of safe text, and counted beyond, whatever the agent writes into the file', async () => {
    const warnings = await warningsBy(({ env }) => {
      const path = fileIn(env);
      noteRefusal(`answer item \u001B[31m${'x'.repeat(10_000)}\nand more`, env);
      appendFileSync(path, 'no JSON\n{"action":1}\n[]\n{"action":"late","time":1e300}\n');
      for (let n = 0; n < 30; n++) noteRefusal(`answer item ${n}`, env);
      return Promise.resolve({ stop: 'done', text: 'Done.' });
    });
    expect(warnings).toHaveLength(11);
    expect(warnings[0]?.message).toMatch(/^Agent "sly" for "make" tried to answer item x{200,300}, and was/u);
    expect(warnings.at(-1)?.message).toBe('Agent "sly" for "make" tried 21 more times');
  });

  it.skipIf(process.platform === 'win32')(
    'is not looked for in a named pipe or a link that takes the place of the file',
    async () => {
      const elsewhere = join(folderOfTest(), 'elsewhere');
      writeFileSync(elsewhere, '{"action":"answer item x","time":1}\n');
      for (const replace of [
        (path: string) => void execFileSync('mkfifo', [path]),
        (path: string) => symlinkSync(elsewhere, path),
      ]) {
        const warnings = await warningsBy(({ env }) => {
          rmSync(fileIn(env));
          replace(fileIn(env));
          noteRefusal('answer item y', env);
          return Promise.resolve({ stop: 'done', text: 'Done.' });
        });
        expect(warnings).toEqual([]);
      }
      expect(readFileSync(elsewhere, 'utf8')).not.toContain('item y');
    },
  );

  it('leaves no file behind, and writes none that does not exist', async () => {
    let path = '';
    const warnings = await warningsBy(({ env }) => {
      path = fileIn(env);
      return Promise.resolve({ stop: 'done', text: 'Done.' });
    });
    expect(warnings).toEqual([]);
    noteRefusal('answer item x', { PHASEGATE_REFUSALS: path });
    expect(path).not.toBe('');
    expect(existsSync(path)).toBe(false);
  });

  it('is not asked for on a terminal that an agent has made, so the run is suspended', async () => {
    const cwd = await files({
      'p.mjs': `import { definePipeline, human, phase, task } from 'phasegate';
        export default definePipeline({ name: 'p', phases: [
          phase('draft', { tasks: [task('write', { run: () => 'text' })], review: human({ question: 'Is it good?' }) }),
        ] });`,
    });
    let shown = '';
    const screen = () =>
      Object.assign(
        new Writable({
          write(chunk: Buffer, _, done) {
            shown += chunk.toString();
            done();
          },
        }),
        { isTTY: true },
      );
    const onTerminal = (...argv: readonly string[]) => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true });
      stdin.end('APPROVE\n');
      const env = { PATH: process.env['PATH'], PHASEGATE_AGENT: '1', TERM: 'dumb' };
      return runProgram({ argv, stdin, stdout: screen(), stderr: screen(), env, cwd });
    };
    expect([await onTerminal('run', 'p.mjs', '--run-id', 'r1'), shown]).toEqual([3, expect.anything()]);
    expect(await onTerminal('resume', 'r1')).toBe(3);
    expect(shown).toContain('answer with: phasegate inbox answer r1:');
    expect((await phasegate(['inbox', '--json'], { cwd })).stdout.trim().split('\n')).toHaveLength(1);
  });
});
