/** Pictures of pipelines, runs and machines by `phasegate graph`. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIFECYCLE_STEPS } from '../../src/machines/coordinator/phase-state.ts';
import { phaseMachine, pipelineMachine } from '../../src/machines.ts';
import { chartToDot } from '../../visualizations/statechart/statechart-dot.ts';
import { chartToMermaid } from '../../visualizations/statechart/statechart-mermaid.ts';
import { chartToSvg } from '../../visualizations/statechart/statechart-svg.ts';
import { statechartOf, statechartOfSteps } from '../../visualizations/statechart/statechart.ts';
import { article, containing, put, ranTo } from './article.ts';
import { files, phasegate } from './cli.ts';

const REWOUND = `
import { definePipeline, phase, task } from 'phasegate';
let asked = 0;
const answers = ['RETRY_PREDECESSOR research: numbers', 'RETRY: again', 'REJECT: no'];
const research = phase('research', { tasks: [task('read', { run: () => 'notes' })] });
const draft = phase('draft', { after: [research], tasks: [task('write', { run: () => 'text' })], review: () => answers[asked++] });
const print = phase('print', { after: [draft], tasks: [task('press', { run: () => 'paper' })] });
export default definePipeline({ name: 'article', phases: [research, draft, print] });
`;

const ASKED = `
import { definePipeline, human, phase, task } from 'phasegate';
const draft = phase('draft', { tasks: [task('write', { run: () => 'text' })], review: human({ question: 'Good?' }) });
export default definePipeline({ name: 'article', phases: [draft] });
`;

describe('phasegate graph', () => {
  it('draws a run by its id and as the latest, and draws its file without a run', async () => {
    const cwd = await files({ 'p.mjs': REWOUND });
    await phasegate(['run', 'p.mjs', '--run-id', 'mine'], { cwd });
    const { code, stdout, stderr } = await phasegate(['graph', 'mine'], { cwd });
    expect(stdout).toMatchInlineSnapshot(`
      "flowchart LR
        subgraph p0["research"]
          p0s(["#10003; approved<br/>attempt 2, generation 2"])
          p0t0["read"]
        end
        subgraph p1["draft"]
          p1s(["#10007; rejected<br/>attempt 3"])
          p1t0["write"]
          p1g{"review<br/>retry ≤ 2"}
          p1t0 --> p1g
        end
        subgraph p2["print"]
          p2s(["#8211; skipped"])
          p2t0["press"]
        end
        p0 --> p1
        p1 --> p2
        p1 == "rewound once, ≤ 2" ==> p0
        classDef good fill:#dafbe1,stroke:#1a7f37,color:#1f2328
        class p0,p0s good
        classDef bad fill:#ffebe9,stroke:#cf222e,color:#1f2328
        class p1,p1s bad
        classDef dim fill:#f6f8fa,stroke:#6e7781,color:#57606a
        class p2,p2s dim
      "
    `);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await phasegate(['graph', 'latest'], { cwd })).stdout).toBe(stdout);
    const { stdout: file } = await phasegate(['graph', 'p.mjs'], { cwd });
    expect(file).toContain('  p1 -. "rewind #8804; 2" .-> p0\n'.replace('#8804;', '≤'));
    expect(file).not.toContain('approved');
  });

  it('draws a run that waits for a person, and has no process', async () => {
    const cwd = await article('go', 'ask');
    const run = await ranTo(cwd, 3);
    const { stdout } = await phasegate(['graph', run.slice(-8), '-f', 'svg'], { cwd });
    expect(stdout).toContain(`>Run ${run} of pipeline &quot;article&quot;, not ended</title>`);
    expect(stdout).toContain('<g class="box warn"><title>draft – ‖ escalated – attempt 1 of 3 – ');
  });

  it('draws a phase whose reviewer is a person as waiting, not as in review', async () => {
    const cwd = await files({ 'p.mjs': ASKED });
    await phasegate(['run', 'p.mjs', '--run-id', 'mine'], { cwd });
    const { stdout } = await phasegate(['graph', 'mine', '-f', 'svg'], { cwd });
    expect(stdout).toContain('<g class="box warn"><title>draft – ‖ waiting – for a person, attempt 1 of 3 – ');
  });

  it('writes to a file, in the format of its extension', async () => {
    const cwd = await article();
    const outs = ['p.svg', 'p.dot', 'p.gv', 'p.md'];
    for (const out of outs) {
      const { code, stdout } = await phasegate(['graph', 'p.mjs', '-o', out], { cwd });
      expect({ code, stdout }).toEqual({ code: 0, stdout: `the picture of "article" is in ${out}\n` });
    }
    const starts = await Promise.all(outs.map(async (out) => (await readFile(join(cwd, out), 'utf8')).slice(0, 9)));
    expect(starts).toEqual(['<svg xmln', 'digraph "', 'digraph "', 'flowchart']);
    await phasegate(['graph', 'p.mjs', '-o', 'other.svg', '--format', 'dot'], { cwd });
    expect(await readFile(join(cwd, 'other.svg'), 'utf8')).toMatch(/^digraph "article" \{/u);
  });

  it.each([
    ['phase', statechartOf(phaseMachine)],
    ['lifecycle', statechartOfSteps('lifecycle', LIFECYCLE_STEPS)],
    ['pipeline', statechartOf(pipelineMachine)],
  ] as const)('draws the machine %s', async (name, chart) => {
    const pictures = [
      ['mermaid', chartToMermaid(chart)],
      ['dot', chartToDot(chart)],
      ['svg', chartToSvg(chart)],
    ] as const;
    for (const [format, picture] of pictures) {
      expect(await phasegate(['graph', '--machine', name, '--format', format])).toEqual({
        code: 0,
        stdout: picture,
        stderr: '',
      });
    }
  });

  it('takes an existing file as a file, also if a run has the same name', async () => {
    const cwd = await article('go');
    await phasegate(['run', 'p.mjs', '--run-id', 'named'], { cwd });
    expect((await phasegate(['graph', 'named'], { cwd })).stdout).toContain('approved');
    await put(cwd, 'named', 'nothing');
    expect(await phasegate(['graph', 'named'], { cwd })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: containing('Cannot load "named" as its name has no known ending'),
    });
    await mkdir(join(cwd, 'mine'));
    await phasegate(['run', 'p.mjs', '--run-id', 'mine'], { cwd });
    expect((await phasegate(['graph', 'mine'], { cwd })).stdout).toContain('approved');
  });

  it('names what it cannot draw, with the reason', async () => {
    const cwd = await article('go');
    const refused = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await phasegate(['graph', ...args], { cwd });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      return stderr;
    };
    expect(await refused('pipelin')).toMatchInlineSnapshot(`
      "Cannot draw "pipelin" as there is no such file. Cannot look for runs in .phasegate/runs.db as no run was stored in this folder yet
      Start one with: phasegate run <pipeline>. Name a store in another place with --store <file>.
      Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#STORE_UNREADABLE
      "
    `);
    expect(await refused('latest')).toMatchInlineSnapshot(`
      "Cannot look for runs in .phasegate/runs.db as no run was stored in this folder yet
      Start one with: phasegate run <pipeline>. Name a store in another place with --store <file>.
      Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#STORE_UNREADABLE
      "
    `);
    expect(await refused('gone.yaml')).toContain('Cannot load "gone.yaml" as there is no such file\n');
    await ranTo(cwd, 0);
    await ranTo(cwd, 0);
    expect(await refused('pipelin')).toMatchInlineSnapshot(`
      "Cannot draw "pipelin" as there is no such file. Cannot find run "pipelin" as no id in the store .phasegate/runs.db is that, begins with it or ends with it
      List the runs with: phasegate ls
      Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#RUN_UNKNOWN
      "
    `);
    expect(await refused('0')).toContain('Cannot tell which run "0" is as 2 ids begin or end with it:\n');
    expect(await refused()).toMatchInlineSnapshot(`
      "Cannot draw a picture as no pipeline or run was named
      Name a pipeline file or a run, such as latest; or add --machine phase.
      Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#INPUT_INVALID
      "
    `);
    expect(await refused('p.mjs', '--machine', 'phase')).toMatchInlineSnapshot(`
      "Cannot draw "p.mjs" and the machine of a phase at once
      Leave out one of them.
      Docs: https://github.com/phasegate/phasegate/blob/main/docs/errors.md#INPUT_INVALID
      "
    `);
    expect(await refused('--machine', 'car')).toContain('Allowed choices are phase, lifecycle, pipeline.');
    for (const name of ['x.png', 'x.PDF'])
      expect(await refused('p.mjs', '-o', name)).toMatch(
        /^Cannot draw a picture into "x\.\w+" as \.(?:png|pdf) is no format of pictures here\nName a file that ends in \.svg, \.dot, \.gv, \.mmd, \.mermaid, \.md or \.txt, or add --format\.\n/u,
      );
    expect(await refused('--machine', 'phase', '-o', 'x.png')).toContain('.png is no format');
    expect(await readdir(cwd)).not.toContain('x.png');
    expect(await refused('p.mjs', '-o', 'no/such/p.svg')).toMatch(/^Cannot write "no\/such\/p\.svg": ENOENT/u);
  });
});
