import { describe, expect, it } from 'vitest';
import { definePipeline, phase, task } from '../src/index.ts';
import { toMermaid } from '../src/visualizations.ts';
import { MOST_CHARACTERS, MOST_EDGES } from '../visualizations/pictures/mermaid-limits.ts';
import { files, phasegate } from './cli/cli.ts';

const run = (): number => 1;

/** A chain of phases without gates, one arrow between each two. */
function chain(count: number, nameOf = (at: number) => `p${at}`) {
  const phases = Array.from({ length: count }, (_, at) =>
    phase(nameOf(at), { after: at === 0 ? [] : [nameOf(at - 1)], tasks: [task('t', { run })] }),
  );
  return definePipeline({ name: 'chain', phases }).plan;
}

describe('toMermaid', () => {
  it('has phases in the order of work, whatever the order of the plan is', () => {
    const [last, first, middle] = [
      phase('last', { after: ['middle'], tasks: [task('t', { run })] }),
      phase('first', { tasks: [task('t', { run })], review: () => 'APPROVE' }),
      phase('middle', { after: ['first'], tasks: [task('t', { run })], review: () => 'APPROVE' }),
    ];
    const { plan } = definePipeline({ name: 'mixed', phases: [last, first, middle] });
    const lines = toMermaid(plan).split('\n');
    expect(lines.filter((line) => line.includes('subgraph'))).toEqual([
      '  subgraph p1["first"]',
      '  subgraph p2["middle"]',
      '  subgraph p0["last"]',
    ]);
    expect(lines.filter((line) => /^ {2}p\d+ -->/u.test(line))).toEqual(['  p1 --> p2', '  p2 --> p0']);
  });

  it('says if it has more arrows than Mermaid draws', () => {
    expect(toMermaid(chain(MOST_EDGES + 1))).not.toContain('%%');
    expect(
      toMermaid(chain(MOST_EDGES + 2))
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'flowchart LR',
      '  %% Too large for the defaults of Mermaid: 501 arrows, and Mermaid draws 500 (maxEdges). Raise them in its configuration, or draw an SVG.',
      '  subgraph p0["p0"]',
    ]);
  });

  it('says if it has more characters than Mermaid reads', () => {
    const long = (at: number) => `${at} ${'x'.repeat(200)}`;
    const sizes = [150, 250].map((count) => toMermaid(chain(count, long)));
    expect(sizes.map((text) => [text.length > MOST_CHARACTERS, text.includes('(maxTextSize)')])).toEqual([
      [false, false],
      [true, true],
    ]);
    // A name that looks like an arrow is none.
    expect(toMermaid(chain(400, (at) => `p${at} --> p1 ==> -. x .-> y`))).not.toContain('maxEdges');
  });

  it('says so on the command line, too, and still prints the diagram', async () => {
    const cwd = await files({
      'p.mjs': `
import { definePipeline, phase, task } from 'phasegate';
const phases = Array.from({ length: 502 }, (_, at) =>
  phase('p' + at, { after: at === 0 ? [] : ['p' + (at - 1)], tasks: [task('t', { run: () => 1 })] }));
export default definePipeline({ name: 'chain', phases });
`,
    });
    const drawn = await phasegate(['graph', 'p.mjs'], { cwd });
    expect(drawn.code).toBe(0);
    expect(drawn.stderr).toMatch(
      /^phasegate: Too large for the defaults of Mermaid: 501 arrows.* Add --format svg for that\.\n$/u,
    );
    expect(drawn.stdout).toContain('p500 --> p501');
    expect((await phasegate(['graph', 'p.mjs', '-f', 'svg'], { cwd })).stderr).toBe('');
  });
});
