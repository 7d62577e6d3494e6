/** Transcripts of turns: their text, their length, and the artifact that they become. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentTask, type Agent, type AgentEvent } from '../../src/agents.ts';
import { createTranscript } from '../../src/agents/work/transcript.ts';
import { definePipeline, phase, startRun } from '../../src/index.ts';
import { folderOfTest } from './rig.ts';

const text = (words: string): AgentEvent => ({ type: 'text', text: words });

/** A text of which no two parts are the same. */
const LONG = Array.from({ length: 150_000 }, (_, at) => String(at)).join(' ');

function transcriptOf(events: readonly AgentEvent[]): string {
  const transcript = createTranscript();
  for (const event of events) transcript.take(event);
  return transcript.text();
}

describe('createTranscript()', () => {
  it('has all that an agent tells, with the changes of files', () => {
    const tool = { type: 'tool', id: 't', kind: 'edit', title: 'Edit a.ts', paths: ['a.ts'] } as const;
    const events: readonly AgentEvent[] = [
      { type: 'thought', text: 'First ' },
      { type: 'thought', text: 'a look.' },
      text('I will '),
      text('edit it.'),
      { ...tool, status: 'running' },
      { ...tool, status: 'done', diff: { path: 'a.ts', before: 'one\n', after: 'two\nthree\n' } },
      { ...tool, status: 'done', diff: { path: 'b.ts', before: '', after: 'new' } },
      { type: 'plan', steps: [{ text: 'Test it', status: 'pending' }] },
      { type: 'permission', asked: 'npm test', answered: 'reject' },
      { type: 'usage', inputTokens: 7 },
      { type: 'raw', because: 'notJson', text: 'warning: x' },
      text('Done.'),
    ];
    expect(transcriptOf(events)).toBe(
      [
        '[thought] First a look.',
        'I will edit it.',
        '[edit, running] Edit a.ts',
        '[edit, done] Edit a.ts',
        '    a.ts',
        '    - one',
        '    + two',
        '    + three',
        '[edit, done] Edit a.ts',
        '    b.ts',
        '    + new',
        '[plan] Test it (pending)',
        '[not allowed] npm test',
        '[notJson] warning: x',
        'Done.',
      ].join('\n'),
    );
    expect(transcriptOf([{ type: 'usage', inputTokens: 7 }, text('')])).toBe('');
  });

  it('keeps its start and its end, and counts what it leaves out', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const starts = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, one) => sum + one, 0));
        const pieces = starts.map((start, at) => LONG.slice(start, start + (lengths[at] ?? 0)));
        const whole = pieces.join('');
        const made = transcriptOf(pieces.map(text));
        if (whole.length <= 200_000) expect(made === whole).toBe(true);
        else {
          const note = `\n… ${whole.length - 200_000} characters left out …\n`;
          expect(made === `${whole.slice(0, 40_000)}${note}${whole.slice(-160_000)}`).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});

it.each([
  ['is done', async () => ({ stop: 'done', text: 'Done.' }) as const],
  ['fails', () => Promise.reject(new Error('It fell.'))],
])('a turn that %s has its transcript as an artifact, without secrets', async (_, end) => {
  const secret = 'sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEF';
  const agent: Agent = {
    name: 'own',
    reports: { tokens: false, cost: false },
    access: ['write'],
    run({ onEvent }) {
      for (const piece of [`The key is ${secret.slice(0, 20)}`, `${secret.slice(20)}.`]) onEvent?.(text(piece));
      return end();
    },
  };
  const build = phase('build', {
    tasks: [agentTask('make', { agent, workspace: folderOfTest(), retry: { attempts: 1 } })],
  });
  const artifacts: unknown[] = [];
  for await (const { event } of startRun(definePipeline({ name: 'p', phases: [build] })))
    if (event.type === 'task.reported' && event.artifact) artifacts.push(event.artifact);
  expect(artifacts).toEqual([
    { name: 'transcript of make', content: expect.stringMatching(/^The key is (?!.*sk-proj-0123).*\.$/u) as string },
  ]);
});
