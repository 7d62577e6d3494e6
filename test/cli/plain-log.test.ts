import { describe, expect, it } from 'vitest';
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
  it('has the feedback once, and then the change that is required in one line', async () => {
    const cwd = await files({ 'p.mjs': pipeline(", requiredChange: 'Add\\nthree numbers.'") });
    const { stdout } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(stdout.split('End of it.')).toHaveLength(2);
    const lines = untimed(stdout);
    expect(lines).toContain('draft: retry 1/2: Add three numbers.');
    expect(lines).toContain('draft: started, attempt 2: Add three numbers.');
  });

  it('has how the feedback begins where no change is named', async () => {
    const cwd = await files({ 'p.mjs': pipeline('') });
    const { stdout } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(stdout.split('End of it.')).toHaveLength(2);
    const again = untimed(stdout).filter((line) => /retry 1\/2|attempt 2/u.test(line));
    expect(again).toHaveLength(2);
    for (const line of again) expect(line).toMatch(/: The outline has no numbers\. .{60,100}…$/u);
  });
});
