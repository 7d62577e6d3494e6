/** Runs whose input contained a secret that the program did not store. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definePipeline, escalate, phase, startRun, task } from '../../src/index.ts';
import type { RunEvent } from '../../src/records.ts';
import { sqliteStore } from '../../src/sqlite.ts';
import { files, phasegate } from './cli.ts';

const PIPELINE = `
import { definePipeline, escalate, phase, task } from 'phasegate';
export default definePipeline({ name: 'door', phases: [
  phase('ask', { tasks: [task('t', { run: ({ input }) => input.key.length })], review: () => escalate('see it') }),
] });
`;

/** Removes the key from the recorded input. */
function redact(event: RunEvent): RunEvent {
  return event.type === 'run.started' ? { ...event, input: { key: '[redacted]' } } : event;
}

/** Creates a folder with a run that a program left while it waited for a person. */
async function left(): Promise<string> {
  const cwd = await files({ 'p.mjs': PIPELINE });
  const pipeline = definePipeline({
    name: 'door',
    phases: [
      phase('ask', {
        tasks: [task('t', { run: ({ input }) => Object.keys(input as object).length })],
        review: () => escalate('see it'),
      }),
    ],
  });
  const store = sqliteStore(join(cwd, '.phasegate/runs.db'));
  const input = { key: 'key of the house' };
  const run = startRun(pipeline, { store, runId: 'r', input, redact, source: join(cwd, 'p.mjs') });
  for await (const { event } of run) if (event.type === 'phase.escalated') break;
  run.suspend();
  await run.result;
  await store.close();
  return cwd;
}

describe('a run whose input was masked', () => {
  it.each([
    ['resume', ['resume', 'r']],
    ['fork', ['fork', 'r', '--at', 'ask']],
    ['fork and go on', ['fork', 'r', '--at', 'ask', '--run']],
  ])('is refused, and resumes with the stored input if that is allowed: %s', async (_, args) => {
    const cwd = await left();
    const refused = await phasegate(args, { cwd });
    expect(refused.stderr).toContain('INPUT_MASKED');
    expect(refused.stderr).toContain('add --allow-masked, if no task needs the masked values');
    expect(refused.code).toBe(2);
    const allowed = await phasegate([...args, '--allow-masked'], { cwd });
    expect(allowed).toMatchObject({ code: args.includes('--run') || args[0] === 'resume' ? 3 : 0, stderr: '' });
  });
});
