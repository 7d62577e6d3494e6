/** Programs that end while a run waits for a person. They are real processes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const NOTICE = `phasegate: run r1 waits for a person, and this program ends as it has no other work. Open items:
  r1:7: escalation of "publish"
The run is lost. Answer while the program runs, with run.decide() or run.answer(); or pass a \`store\`, so that the run can be resumed.
`;

it.each([
  ['awaits its result at the top level', 'await run.result;', 13],
  ['does not await it', '', 0],
])('a program that %s prints the waiting run and item on stderr at its end', async (_, rest, code) => {
  expect(await ended(rest)).toEqual({ code, problem: NOTICE });
});

it.each([
  [
    'answers',
    'await run.result;',
    "run.events$.subscribe(({ event }) => event.type === 'phase.escalated' && run.decide('publish', approve()));",
  ],
  [
    'suspends the run',
    'await run.result;',
    "run.events$.subscribe(({ event }) => event.type === 'phase.escalated' && run.suspend());",
  ],
])('a program that %s ends without a notice', async (_, rest, before) => {
  expect(await ended(before + rest)).toEqual({ code: 0, problem: '' });
});

// --- internal ---

function ended(rest: string): Promise<{ readonly code: number | null; readonly problem: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'phasegate-exit-'));
  const file = join(folder, 'program.mjs');
  const entry = new URL('../../dist/index.js', import.meta.url).href;
  writeFileSync(
    file,
    `import { approve, definePipeline, escalate, phase, startRun, task } from '${entry}';
const publish = phase('publish', { tasks: [task('print', { run: () => 1 })], review: () => escalate('Look.') });
const run = startRun(definePipeline({ name: 'notice', phases: [publish] }), { runId: 'r1', attended: true });
${rest}`,
  );
  const child = spawn(process.execPath, [file], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => (problem += more));
  return new Promise((resolve) => {
    // Node's own warning about an unsettled await follows the notice.
    child.once('close', (code) => resolve({ code, problem: problem.replace(/Warning: Detected unsettled[^]*$/u, '') }));
  });
}
