/**
 * Agents with the profile of Claude Code.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { agentTask, jsonlAgent } from '../../src/agents.ts';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import { scripted } from './rig.ts';

const DONE = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  session_id: 's1',
  total_cost_usd: 0.25,
  usage: { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 70, output_tokens: 5 },
};

it('a required change is verbatim in the prompt of the next attempt', async () => {
  const { program, cwd, asked } = scripted(
    [{ type: 'json', line: DONE }],
    [{ type: 'json', line: { ...DONE, result: 'Done again.' } }],
  );
  const build = phase('build', {
    tasks: [agentTask('make', { agent: jsonlAgent('claude', { program }), workspace: cwd, description: 'Make it.' })],
    review: ({ attempt }) =>
      attempt === 0 ? { type: 'retry', feedback: 'No.', requiredChange: 'Use "two" colons:: é.' } : 'APPROVE',
  });
  const { outputs, phases } = await startRun(definePipeline({ name: 'p', phases: [build] }), { runId: 'r1' }).result;
  expect(outputs).toEqual({ build: { make: 'Done again.' } });
  expect(phases.build).toMatchObject({ costUsd: 0.5, tokens: 210 });
  const [first, second] = asked();
  expect(first?.prompt).toBe('Make it.');
  expect(second?.prompt).toContain('Use "two" colons:: é.');
  expect(second?.env).toMatchObject({
    PHASEGATE_AGENT: '1',
    PHASEGATE_RUN: 'r1',
    PHASEGATE_PHASE: 'build',
    PHASEGATE_TASK: 'make',
  });
  expect(second?.cwd).toBe(cwd);
});
