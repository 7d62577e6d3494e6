import { describe, expect, it } from 'vitest';
import { definePipeline, phase, startRun, task } from '../src/index.ts';

/** Runs a task on the outputs of a predecessor. @returns The result of the run. */
async function made(use: (inputs: unknown) => unknown) {
  const draft = phase('draft', { tasks: [task('text', { run: () => ({ words: ['gates', 'help'] }) })] });
  const count = phase('count', { after: ['draft'], tasks: [task('words', { run: ({ inputs }) => use(inputs) })] });
  const { status, outputs, phases } = await startRun(definePipeline({ name: 'p', phases: [draft, count] })).result;
  return { status, output: (outputs as Record<string, unknown>)['count'], error: phases.count.error };
}

const HINT = 'Clone a copy: structuredClone({ ...inputs })';

describe('structuredClone(inputs)', () => {
  it.each([
    ['the inputs', (inputs: unknown) => structuredClone(inputs)],
    ['what has them in it', (inputs: unknown) => structuredClone({ given: inputs })],
    ['a message to another thread', (inputs: unknown) => new MessageChannel().port1.postMessage(inputs)],
  ])('of %s fails with a hint', async (_, use) => {
    const { status, error } = await made(use);
    expect(status).toBe('failed');
    expect(error?.name).toBe('DataCloneError');
    expect(error?.message).toContain(HINT);
  });

  it('works as the hint says, and the copy is mutable', async () => {
    const { status, output } = await made((inputs) => {
      const copy = structuredClone({ ...(inputs as object) }) as { draft: { text: { words: string[] } } };
      copy.draft.text.words.push('a lot');
      return copy;
    });
    expect(status).toBe('completed');
    expect(output).toEqual({ words: { draft: { text: { words: ['gates', 'help', 'a lot'] } } } });
  });

  it('of the outputs of one phase works without a hint', async () => {
    const { output } = await made((inputs) => structuredClone((inputs as { draft: unknown }).draft));
    expect(output).toEqual({ words: { text: { words: ['gates', 'help'] } } });
  });
});
