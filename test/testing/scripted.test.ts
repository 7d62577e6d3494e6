/** Models and agents that answer from a script. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { agentReviewer, agentTask, type AgentTurn } from '../../src/agents.ts';
import { definePipeline, phase, runPipeline } from '../../src/index.ts';
import { openaiReviewer, openaiTask } from '../../src/openai.ts';
import {
  fails,
  rehearse,
  repeats,
  asDefined,
  scriptedAgent,
  scriptedModel,
  takes,
  verdict,
} from '../../src/testing.ts';

describe('scriptedModel()', () => {
  it('does the work of model tasks and reviewers, and tells what it was asked', async () => {
    const writer = scriptedModel([{ title: 'Gates' }, { text: '{"title":"Gates, again"}', usage: { totalTokens: 7 } }]);
    const critic = scriptedModel([
      verdict('needs_changes', { requiredChange: 'Add the index.' }),
      repeats(verdict('approved', { priorFindings: [] })),
    ]);
    const pipeline = definePipeline({
      name: 'note',
      phases: [
        phase('write', {
          tasks: [openaiTask('draft', { ask: writer, description: 'Write.', output: z.object({ title: z.string() }) })],
          review: openaiReviewer('critic', { ask: critic, criteria: 'It is good.' }),
        }),
      ],
    });
    expect(await runPipeline(pipeline)).toEqual({ write: { draft: { title: 'Gates, again' } } });
    expect(writer.requests).toHaveLength(2);
    expect(JSON.stringify(writer.requests[1]?.messages)).toContain('Add the index.');
    expect(critic.requests).toHaveLength(2);
  });

  it('fails as scripted, and for good if the script is too short', async () => {
    const ask = scriptedModel([fails(Object.assign(new Error('busy'), { retryable: true, retryAfterMs: 60_000 }))]);
    const pipeline = definePipeline({
      name: 'note',
      phases: [phase('write', { tasks: [openaiTask('draft', { ask, description: 'Write.' })] })],
    });
    const short = rehearse(pipeline, { tasks: { draft: asDefined() } });
    await expect(short).rejects.toThrow('its script ends after 1 step');
    expect(ask.requests).toHaveLength(2);
  });

  it('refuses steps that need virtual time', async () => {
    const ask = scriptedModel(takes(1000, 'late'));
    await expect(
      ask({ messages: [], signal: new AbortController().signal, onDelta: () => {}, onUsage: () => {} }),
    ).rejects.toThrow('takes() and reports() are for rehearsals');
  });
});

describe('scriptedAgent()', () => {
  it('does the work of agent tasks and reviewers in a real directory', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'phasegate-scripted-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const coder = scriptedAgent([
      ({ cwd: at }: AgentTurn) => writeFile(join(at, 'a.txt'), 'one'),
      async ({ cwd: at, prompt }: AgentTurn) => {
        await writeFile(join(at, 'a.txt'), prompt.includes('Say two.') ? 'two' : 'none');
        return 'I have said two.';
      },
    ]);
    const critic = scriptedAgent([verdict('needs_changes', { requiredChange: 'Say two.' }), verdict('approved')]);
    const pipeline = definePipeline({
      name: 'code',
      phases: [
        phase('code', {
          tasks: [agentTask('edit', { agent: coder, workspace: cwd, description: 'Edit it.' })],
          review: agentReviewer('critic', { agent: critic, workspace: cwd, criteria: 'It says two.' }),
        }),
      ],
    });
    expect(await runPipeline(pipeline)).toEqual({ code: { edit: 'I have said two.' } });
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('two');
    expect(coder.turns.map(({ access }) => access)).toEqual(['write', 'write']);
    expect(critic.turns.map(({ access }) => access)).toEqual(['read', 'read']);
  });

  it('refuses, and does nothing for a turn that is aborted', async () => {
    const agent = scriptedAgent([{ stop: 'refused', text: 'No.' }], { name: 'shy' });
    const turn = { prompt: '', cwd: '/', access: 'read', permissions: {} } as const;
    expect(await agent.run({ ...turn, signal: new AbortController().signal })).toEqual({
      stop: 'refused',
      text: 'No.',
    });
    expect(await agent.run({ ...turn, signal: AbortSignal.abort() })).toEqual({ stop: 'cancelled', text: '' });
    await expect(agent.run({ ...turn, signal: new AbortController().signal })).rejects.toThrow('agent "shy"');
  });
});
