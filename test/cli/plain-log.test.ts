import { describe, expect, it } from 'vitest';
import { createEventLines } from '../../src/cli/show/event-lines.ts';
import { fake, play } from '../rig.ts';
import { files, phasegate, untimed } from './cli.ts';

const FEEDBACK = `The outline has no numbers. ${'It says so in many words. '.repeat(20)}End of it.`;

function pipeline(change: string): string {
  return `import { approve, definePipeline, phase, retry, task } from 'phasegate';
    export default definePipeline({ name: 'article', phases: [phase('draft', {
      tasks: [task('write', { run: () => 'text' })],
      review: ({ attempt }) => (attempt > 0 ? approve() : { type: 'retry', feedback: ${JSON.stringify(FEEDBACK)}${change} }),
    })] });`;
}

describe('a plain log', () => {
  it('has the feedback once, and later only the required change in one line', async () => {
    const cwd = await files({ 'p.mjs': pipeline(", requiredChange: 'Add\\nthree numbers.'") });
    const { stdout } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(stdout.split('End of it.')).toHaveLength(2);
    const lines = untimed(stdout);
    expect(lines).toContain('draft: retry 1/2: Add three numbers.');
    expect(lines).toContain('draft: started, attempt 2');
    expect(stdout.split('Add three numbers.')).toHaveLength(2);
  });

  it('has the beginning of the feedback if no change is named', async () => {
    const cwd = await files({ 'p.mjs': pipeline('') });
    const { stdout } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(stdout.split('End of it.')).toHaveLength(2);
    const again = untimed(stdout).filter((line) => /retry 1\/2|attempt 2/u.test(line));
    expect(again).toEqual([
      expect.stringMatching(/: retry 1\/2: The outline has no numbers\. .{60,100}…$/u),
      'draft: started, attempt 2',
    ]);
  });

  it('has the request of a later phase once, and all of them if several ask', async () => {
    //  a ──▶ b      b and c send a back
    //  └───▶ c
    const { records } = await play([
      fake('a'),
      fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: numbers'] }),
      fake('c', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: sources'] }),
    ]);
    const lines = createEventLines();
    const again = records.map(lines).flatMap((line) => /a: started, .*|sends back .*/u.exec(line) ?? []);
    expect(again).toEqual(['sends back a 1/2: numbers', 'sends back a 1/2: sources', 'a: started, attempt 2']);
  });

  it('repeats the feedback with the attempt if another process has printed it before', async () => {
    const { records } = await play([fake('a', { verdicts: ['RETRY: numbers'] })]);
    const lines = createEventLines();
    const at = records.findIndex(({ event }) => event.type === 'phase.retrying');
    for (const record of records.slice(0, at + 1)) lines.recall(record);
    const rest = records.slice(at + 1).map(lines);
    expect(rest[0]).toMatch(/a: started, attempt 2: numbers$/u);
  });
});
