import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { definePipeline, phase, policies, retry, task } from '../src/index.ts';
import { foldRun, type Plan, type RunRecord } from '../src/records.ts';
import { LIFECYCLE_STEPS } from '../src/machines/coordinator/phase-state.ts';
import { phaseMachine, pipelineMachine } from '../src/machines.ts';
import { foldTimeline } from '../src/projections/timeline/timeline.ts';
import { toDot } from '../visualizations/pictures/dot.ts';
import { toMermaid } from '../visualizations/pictures/mermaid.ts';
import { runStandingOf, type RunStanding } from '../visualizations/pictures/run-standing.ts';
import { chartToDot } from '../visualizations/statechart/statechart-dot.ts';
import { chartToMermaid } from '../visualizations/statechart/statechart-mermaid.ts';
import { chartToSvg } from '../visualizations/statechart/statechart-svg.ts';
import { statechartOf, statechartOfSteps } from '../visualizations/statechart/statechart.ts';
import { toSvg } from '../visualizations/pictures/svg.ts';
import { fake, play } from './rig.ts';

const run = (): number => 1;
const judge = (): string => 'APPROVE';

//  research ──▶ draft ──▶ print      draft ⇢ research, print ⇢ draft and research
function article(): Plan {
  const read = task('read', { run });
  const research = phase('research', { tasks: [read, task('count', { run, after: [read] }), task('ask', { run })] });
  const draft = phase('draft', {
    after: [research],
    mode: 'sequential',
    tasks: [task('outline', { run }), task('write', { run })],
    review: {
      checks: [{ name: 'length', run: () => true }],
      by: [task('editor', { run: judge }), task('lawyer', { run: judge })],
      quorum: 1,
    },
  });
  const print = phase('print', {
    after: [draft],
    tasks: [task('press', { run })],
    review: { by: () => retry('x'), maxRetries: 0, maxPredecessorRetries: 'unlimited', rewindTo: 'ancestors' },
  });
  const last = phase('archive', {
    after: [print, draft],
    tasks: [task('file', { run })],
    review: { by: () => 'APPROVE', maxPredecessorRetries: 0 },
  });
  return definePipeline({ name: 'article', phases: [research, draft, print, last] }).plan;
}

/** A plan whose phases, tasks and checks have these names, in a chain. */
function named(all: readonly string[]): Plan {
  const phases = all.map((name, index) =>
    phase(name, {
      after: all.slice(Math.max(0, index - 1), index),
      tasks: [task(name, { run })],
      review: { checks: [{ name, run: () => true }] },
    }),
  );
  return definePipeline({ name: 'named', phases }).plan;
}

const HOSTILE = [
  'end',
  'a"] --> evil["b',
  'a\\"; evil -> b; "',
  '\\',
  '\\N',
  'subgraph x',
  '%%{init: {"theme":"dark"}}%%',
  '`code` **bold** _it_',
  '<script>alert(1)</script>',
  '<br/>',
  '#35; &lt;',
  '1. list',
  '- dash',
  'style a:b #f;',
  'classDef x fill:#f;',
  'click p0 href "javascript:alert(1)"',
  '} | { ] [ ) (',
  '日本語 👩‍👩‍👧 é',
  'a\u202Eb\u200Bc',
  'a\uFFFEb\uFFFFc',
  'p1',
  'p0t0',
];

/** Plays a run with every end of a phase, and a rewind. */
async function played(): Promise<{ readonly plan: Plan; readonly standing: RunStanding }> {
  //  a ──▶ b ──▶ d ──▶ e      b ⇢ a once, d is rejected, c has read the old a
  //  └───▶ c
  const { records } = await play(
    [
      fake('a', { verdicts: ['RETRY: more', 'APPROVE'] }),
      fake('b', {
        after: ['a'],
        verdicts: ['RETRY_PREDECESSOR a: numbers', 'RETRY: again', 'RETRY: again'],
        maxRetries: 1,
      }),
      fake('c', { after: ['a'] }),
      fake('d', { after: ['b'], verdicts: ['REJECT: no'] }),
      fake('e', { after: ['d'] }),
    ],
    { policy: { onExhausted: 'accept' }, run: { runId: 'the-run' } },
  );
  return standing(records);
}

function standing(records: readonly RunRecord[]): { readonly plan: Plan; readonly standing: RunStanding } {
  const [view, fold] = [foldRun(), foldTimeline()];
  for (const record of records) {
    view.apply(record);
    fold.apply(record);
  }
  const start = records[0]?.event;
  if (start?.type !== 'run.started') throw new Error('The first record is another.');
  return { plan: start.plan, standing: runStandingOf(start.plan, view.snapshot(), fold.timeline().arrows) };
}

describe('toMermaid', () => {
  it('draws the status of a run, and its rewinds', async () => {
    const { plan, standing: stands } = await played();
    expect(toMermaid(plan, stands)).toMatchInlineSnapshot(`
      "flowchart LR
        subgraph p0["a"]
          p0s(["#10003; approved<br/>attempt 3, generation 2"])
          p0t0["work"]
          p0g{"review<br/>retry ≤ 2"}
          p0t0 --> p0g
        end
        subgraph p1["b"]
          p1s(["#10003; approved<br/>attempt 3, budget spent"])
          p1t0["work"]
          p1g{"review<br/>retry ≤ 1"}
          p1t0 --> p1g
        end
        subgraph p2["c"]
          p2s(["#8776; stale"])
          p2t0["work"]
        end
        subgraph p3["d"]
          p3s(["#10007; rejected<br/>attempt 1 of 3"])
          p3t0["work"]
          p3g{"review<br/>retry ≤ 2"}
          p3t0 --> p3g
        end
        subgraph p4["e"]
          p4s(["#8211; skipped"])
          p4t0["work"]
        end
        p0 --> p1
        p0 --> p2
        p1 --> p3
        p3 --> p4
        p3 -. "rewind ≤ 2" .-> p1
        p1 == "rewound once, ≤ 2" ==> p0
        classDef good fill:#dafbe1,stroke:#1a7f37,color:#1f2328
        class p0,p0s,p1,p1s good
        classDef warn fill:#fff8c5,stroke:#9a6700,color:#1f2328
        class p2,p2s warn
        classDef bad fill:#ffebe9,stroke:#cf222e,color:#1f2328
        class p3,p3s bad
        classDef dim fill:#f6f8fa,stroke:#6e7781,color:#57606a
        class p4,p4s dim
      "
    `);
  });

  it('has no rewind arrows of a gate with many targets', () => {
    const phases = [1, 2, 3, 4, 5, 6, 7].map((number) =>
      phase(`p${number}`, {
        after: number === 1 ? [] : [`p${number - 1}`],
        tasks: [task('t', { run })],
        ...(number > 5 && { review: () => 'APPROVE' }),
      }),
    );
    const { plan } = definePipeline({ name: 'p', phases, policy: policies.tsp });
    const lines = toMermaid(plan).split('\n');
    expect(lines.filter((line) => line.includes('.->'))).toEqual(
      [0, 1, 2, 3, 4].map((target) => `  p5 -. "rewind ≤ 3" .-> p${target}`),
    );
    expect(lines.filter((line) => line.includes('{'))).toEqual([
      expect.not.stringContaining('rewind'),
      expect.stringContaining('<br/>rewind ≤ 3 to any of 6"}'),
    ]);
  });

  it('draws phases, tasks, gates and possible rewinds', () => {
    expect(toMermaid(article())).toMatchInlineSnapshot(`
      "flowchart LR
        subgraph p0["research"]
          p0t0["read"]
          p0t1["count"]
          p0t2["ask"]
          p0t0 --> p0t1
        end
        subgraph p1["draft"]
          p1t0["outline"]
          p1t1["write"]
          p1g{"length<br/>editor<br/>lawyer<br/>1 of 2<br/>retry ≤ 2"}
          p1t0 --> p1t1
          p1t1 --> p1g
        end
        subgraph p2["print"]
          p2t0["press"]
          p2g{"review"}
          p2t0 --> p2g
        end
        subgraph p3["archive"]
          p3t0["file"]
          p3g{"review<br/>retry ≤ 2"}
          p3t0 --> p3g
        end
        p0 --> p1
        p1 --> p2
        p2 --> p3
        p1 --> p3
        p1 -. "rewind ≤ 2" .-> p0
        p2 -. "rewind unlimited" .-> p0
        p2 -. "rewind unlimited" .-> p1
      "
    `);
  });

  it('keeps names inside their labels', () => {
    expectMermaid(toMermaid(named(HOSTILE)), HOSTILE.length);
  });

  it('is well-formed for any names', () => {
    fc.assert(fc.property(names(), (some) => expectMermaid(toMermaid(named(some)), some.length)));
  });

  /** Asserts that every line has a known form, and that every node and phase has an id of its own. */
  function expectMermaid(picture: string, phases: number): void {
    const lines = picture.trimEnd().split('\n');
    const label = String.raw`(?:[\p{L}\p{M}\p{N} _.,/()+=?!≤…-]|#\d+;|<br/>)*`;
    const line = new RegExp(
      [
        'flowchart LR',
        String.raw`  subgraph p\d+\["${label}"\]`,
        String.raw`    p\d+t\d+\["${label}"\]`,
        String.raw`    p\d+g\{"${label}"\}`,
        String.raw`    p\d+t\d+ --> p\d+(?:t\d+|g)`,
        '  end',
        String.raw`  p\d+ --> p\d+`,
        String.raw`  p\d+ -\. "rewind (?:≤ \d+|unlimited)" \.-> p\d+`,
      ]
        .map((one) => `^${one}$`)
        .join('|'),
      'u',
    );
    expect(lines.filter((one) => !line.test(one))).toEqual([]);
    const ids = lines.flatMap((one) => /^(?: {2}subgraph| {3}) (p\w+)[[{]/u.exec(one)?.[1] ?? []);
    expect(new Set(ids).size).toBe(phases * 3);
  }
});

describe('toDot', () => {
  it('draws the status of a run, and its rewinds', async () => {
    const { plan, standing: stands } = await played();
    expect(toDot(plan, stands)).toMatchInlineSnapshot(`
      "digraph "rig" {
        graph [rankdir=LR, compound=true, fontname="Helvetica"];
        node [shape=box, style=rounded, fontname="Helvetica"];
        edge [fontname="Helvetica", fontsize=10];
        subgraph cluster_p0 {
          label="a\\n✓ approved\\nattempt 3, generation 2";
          style=filled; fillcolor="#dafbe1"; color="#1a7f37"; fontcolor="#1f2328";
          p0t0 [label="work"];
          p0g [shape=diamond, style=solid, label="review\\nretry ≤ 2"];
          p0t0 -> p0g;
        }
        subgraph cluster_p1 {
          label="b\\n✓ approved\\nattempt 3, budget spent";
          style=filled; fillcolor="#dafbe1"; color="#1a7f37"; fontcolor="#1f2328";
          p1t0 [label="work"];
          p1g [shape=diamond, style=solid, label="review\\nretry ≤ 1"];
          p1t0 -> p1g;
        }
        subgraph cluster_p2 {
          label="c\\n≈ stale";
          style=filled; fillcolor="#fff8c5"; color="#9a6700"; fontcolor="#1f2328";
          p2t0 [label="work"];
        }
        subgraph cluster_p3 {
          label="d\\n✗ rejected\\nattempt 1 of 3";
          style=filled; fillcolor="#ffebe9"; color="#cf222e"; fontcolor="#1f2328";
          p3t0 [label="work"];
          p3g [shape=diamond, style=solid, label="review\\nretry ≤ 2"];
          p3t0 -> p3g;
        }
        subgraph cluster_p4 {
          label="e\\n– skipped";
          style=filled; fillcolor="#f6f8fa"; color="#6e7781"; fontcolor="#57606a";
          p4t0 [label="work"];
        }
        p0g -> p1t0 [ltail=cluster_p0, lhead=cluster_p1];
        p0g -> p2t0 [ltail=cluster_p0, lhead=cluster_p2];
        p1g -> p3t0 [ltail=cluster_p1, lhead=cluster_p3];
        p3g -> p4t0 [ltail=cluster_p3, lhead=cluster_p4];
        p3g -> p1t0 [ltail=cluster_p3, lhead=cluster_p1, style=dashed, constraint=false, label="rewind ≤ 2"];
        p1g -> p0t0 [ltail=cluster_p1, lhead=cluster_p0, style=bold, constraint=false, label="rewound once, ≤ 2"];
      }
      "
    `);
  });

  it('draws phases, tasks, gates and possible rewinds', () => {
    expect(toDot(article())).toMatchInlineSnapshot(`
      "digraph "article" {
        graph [rankdir=LR, compound=true, fontname="Helvetica"];
        node [shape=box, style=rounded, fontname="Helvetica"];
        edge [fontname="Helvetica", fontsize=10];
        subgraph cluster_p0 {
          label="research";
          p0t0 [label="read"];
          p0t1 [label="count"];
          p0t2 [label="ask"];
          p0t0 -> p0t1;
        }
        subgraph cluster_p1 {
          label="draft";
          p1t0 [label="outline"];
          p1t1 [label="write"];
          p1g [shape=diamond, style=solid, label="length\\neditor\\nlawyer\\n1 of 2\\nretry ≤ 2"];
          p1t0 -> p1t1;
          p1t1 -> p1g;
        }
        subgraph cluster_p2 {
          label="print";
          p2t0 [label="press"];
          p2g [shape=diamond, style=solid, label="review"];
          p2t0 -> p2g;
        }
        subgraph cluster_p3 {
          label="archive";
          p3t0 [label="file"];
          p3g [shape=diamond, style=solid, label="review\\nretry ≤ 2"];
          p3t0 -> p3g;
        }
        p0t2 -> p1t0 [ltail=cluster_p0, lhead=cluster_p1];
        p1g -> p2t0 [ltail=cluster_p1, lhead=cluster_p2];
        p2g -> p3t0 [ltail=cluster_p2, lhead=cluster_p3];
        p1g -> p3t0 [ltail=cluster_p1, lhead=cluster_p3];
        p1g -> p0t0 [ltail=cluster_p1, lhead=cluster_p0, style=dashed, constraint=false, label="rewind ≤ 2"];
        p2g -> p0t0 [ltail=cluster_p2, lhead=cluster_p0, style=dashed, constraint=false, label="rewind unlimited"];
        p2g -> p1t0 [ltail=cluster_p2, lhead=cluster_p1, style=dashed, constraint=false, label="rewind unlimited"];
      }
      "
    `);
  });

  it('keeps names inside their labels', () => {
    expectDot(toDot(named(HOSTILE)));
    expect(toDot(named(['a\\"b\\N']))).toContain('label="a\\\\\\"b\\\\N"');
  });

  it('is well-formed for any names', () => {
    fc.assert(fc.property(names(), (some) => expectDot(toDot(named(some)))));
  });

  it.skipIf(spawnSync('dot', ['-V']).error)('is drawn by Graphviz', () => {
    for (const plan of [article(), named(HOSTILE)]) {
      expect(spawnSync('dot', ['-Tsvg'], { input: toDot(plan), encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    }
  });

  /** Asserts that the picture without its quoted strings has only known tokens. */
  function expectDot(picture: string): void {
    const bare = picture.replace(/"(?:[^"\\\n]|\\["\\n])*"/gu, 'TEXT');
    const allowed =
      /^(?:digraph TEXT \{| {2}(?:graph|node|edge) \[[\w=, ]*\];| {2}subgraph cluster_p\d+ \{| {4}label=TEXT;| {4}p\d+(?:t\d+|g) \[(?:shape=diamond, style=solid, )?label=TEXT\];| {4}p\w+ -> p\w+;| {2}\}| {2}p\w+ -> p\w+ \[ltail=cluster_p\d+, lhead=cluster_p\d+(?:, style=dashed, constraint=false, label=TEXT)?\];|\}|)$/u;
    expect(bare.split('\n').filter((line) => !allowed.test(line))).toEqual([]);
  }
});

describe('toSvg', () => {
  it('draws phases, tasks, gates and possible rewinds, with a description', () => {
    const svg = toSvg(article());
    expectXml(svg);
    expect(textsOf(svg)).toEqual([
      'research',
      'read, count, ask',
      'draft',
      'outline, write',
      'gate (retry ≤ 2): length, editor, lawyer, 1 of 2',
      'print',
      'press',
      'gate: review',
      'archive',
      'file',
      'gate (retry ≤ 2): review',
      'rewind ≤ 2',
      'rewind unlimited',
      'rewind unlimited',
    ]);
    expect(svg.match(/<path class="way(?: \w+)?"/gu)).toEqual([
      ...Array.from({ length: 3 }, () => '<path class="way back"'),
      ...Array.from({ length: 4 }, () => '<path class="way"'),
    ]);
    expect(svg).toContain(
      '<desc id="pg-desc">research comes first. draft comes after research. print comes after draft. ' +
        'archive comes after print and draft. draft may send back research: rewind ≤ 2. ' +
        'print may send back research: rewind unlimited. print may send back draft: rewind unlimited.</desc>',
    );
  });

  it('shows the status of a run by a mark and a word, not by a colour alone', async () => {
    const { plan, standing: stands } = await played();
    const svg = toSvg(plan, stands);
    expectXml(svg);
    expect(textsOf(svg)).toMatchInlineSnapshot(`
      [
        "a",
        "✓ approved",
        "attempt 3, generation 2",
        "work",
        "gate (retry ≤ 2): review",
        "b",
        "✓ approved",
        "attempt 3, budget spent",
        "work",
        "gate (retry ≤ 1): review",
        "c",
        "≈ stale",
        "work",
        "d",
        "✗ rejected",
        "attempt 1 of 3",
        "work",
        "gate (retry ≤ 2): review",
        "e",
        "– skipped",
        "work",
        "rewind ≤ 2",
        "rewound once, ≤ 2",
      ]
    `);
    expect(svg).toContain('<title id="pg-title">Run the-run of pipeline &quot;rig&quot;, rejected</title>');
    expect(svg.match(/<path class="way taken"/gu)).toHaveLength(1);
  });

  it('needs no other files, and has colours for a light and a dark background', () => {
    const svg = toSvg(article());
    expect(svg).not.toMatch(
      /<script|<image|<foreignObject|@import|@font-face|https?:(?!\/\/www\.w3\.org\/2000\/svg")/iu,
    );
    expect(svg).not.toMatch(/url\((?!#)/u);
    const [light = '', dark = ''] = svg.split('@media (prefers-color-scheme:dark)');
    for (const ground of ['.ground{fill:#ffffff}', '.box rect{fill:#f6f8fa']) expect(light).toContain(ground);
    for (const ground of ['.ground{fill:#0d1117}', '.box rect{fill:#161b22']) expect(dark).toContain(ground);
  });

  it('keeps names inside their texts', () => {
    const svg = toSvg(named(HOSTILE));
    expectXml(svg);
    for (const name of ['a"] --> evil["b', '<script>alert(1)</script>', '日本語 👩 👩 👧 é', '#35; &lt;']) {
      expect(textsOf(svg)).toContain(name);
    }
  });

  it('is well-formed for any names', () => {
    fc.assert(fc.property(names(), (some) => expectXml(toSvg(named(some)))));
  });

  it('has room for an empty plan', () => {
    const svg = toSvg({ ...article(), phases: [] });
    expectXml(svg);
    expect(textsOf(svg)).toEqual([]);
  });
});

describe('statechartOf', () => {
  it('has every state and every transition of the machine of a run', () => {
    const chart = statechartOf(pipelineMachine);
    expect(chart.states.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'running atomic',
      'settling atomic',
      ...['completed', 'rejected', 'failed', 'cancelled', 'exhausted'].map((name) => `${name} final`),
    ]);
    expect(chart.states[1]?.transitions).toEqual([
      ...['completed', 'rejected', 'failed', 'cancelled'].map((name) => ({
        trigger: 'always',
        event: '',
        guard: `hasEnded ${name}`,
        target: name,
        actions: [],
      })),
      { trigger: 'always', event: '', guard: null, target: 'exhausted', actions: [] },
    ]);
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
  });

  it('has events, guards, and targets of the machine of a phase', () => {
    const { states, transitions } = statechartOf(phaseMachine);
    expect(states.map(({ name }) => name)).toEqual(Object.keys(phaseMachine.config.states ?? {}));
    expect(states[0]).toEqual({
      name: 'running',
      type: 'atomic',
      isInitial: true,
      invokes: [],
      transitions: [
        ...[
          { guard: 'isFailure', target: 'failed', actions: ['keepOutcome'] },
          { guard: 'isDemand', target: 'deciding', actions: ['keepDemand'] },
          { guard: 'isUnreviewed', target: 'approved', actions: ['keepOutcome'] },
          { guard: null, target: 'reviewing', actions: ['keepOutcome'] },
        ].map((way) => ({ trigger: 'event', event: 'attempt.done', ...way })),
        { trigger: 'event', event: 'attempt.failed', guard: null, target: 'failed', actions: ['keepError'] },
      ],
    });
    expect(transitions[0]).toEqual({
      trigger: 'event',
      event: 'cancel',
      guard: null,
      target: 'cancelled',
      actions: [],
    });
  });

  it('reads other machines: delays, nested states, and anonymous parts', () => {
    const machine = createMachine({
      id: 'light',
      initial: 'red',
      states: {
        red: {
          initial: 'on',
          after: { 1000: 'green' },
          states: { on: { on: { BLINK: 'off' } }, off: { always: { guard: () => true, target: 'on' } } },
        },
        green: { on: { '*': { actions: [() => undefined] } } },
      },
    });
    const { states } = statechartOf(machine);
    expect(states.map(({ name, isInitial }) => `${name}${isInitial ? ' first' : ''}`)).toEqual([
      'red first',
      'red.on first',
      'red.off',
      'green',
    ]);
    expect(states.flatMap(({ name, transitions }) => transitions.map((way) => ({ name, ...way })))).toEqual([
      { name: 'red', trigger: 'after', event: '1000', guard: null, target: 'green', actions: [] },
      { name: 'red.on', trigger: 'event', event: 'BLINK', guard: null, target: 'red.off', actions: [] },
      { name: 'red.off', trigger: 'always', event: '', guard: 'guard', target: 'red.on', actions: [] },
      { name: 'green', trigger: 'event', event: '*', guard: null, target: null, actions: ['unnamed'] },
    ]);
    const pictures = [chartToMermaid(statechartOf(machine)), chartToDot(statechartOf(machine))];
    for (const picture of pictures) expect(picture).toContain('after 1000');
    expectXml(chartToSvg(statechartOf(machine)));
  });
});

describe('pictures of machines', () => {
  it.each([
    ['machine of a phase', 'phase', statechartOf(phaseMachine)],
    ['lifecycle of a phase', 'lifecycle', statechartOfSteps('lifecycle', LIFECYCLE_STEPS)],
    ['machine of a pipeline', 'pipeline', statechartOf(pipelineMachine)],
  ])('docs/pictures.md has the %s', (title, name, chart) => {
    const page = readFileSync(new URL('../docs/pictures.md', import.meta.url), 'utf8');
    const shown = new RegExp(`^### The ${title}$[^]*?^\`\`\`mermaid\\n([^]*?)^\`\`\`$`, 'mu').exec(page)?.[1];
    const renew = `The page shows another machine. Put there what this prints: phasegate graph --machine ${name}`;
    expect(shown, renew).toBe(chartToMermaid(chart));
  });

  it('draw a table of steps: in each language, with every step of it', () => {
    const chart = statechartOfSteps('door', { shut: { open: 'pull' }, open: { shut: 'push', open: 'pull' } });
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
    expect(chart.states.map(({ name, isInitial }) => [name, isInitial])).toEqual([
      ['shut', true],
      ['open', false],
    ]);
    expect(chartToMermaid(chart)).toBe(`stateDiagram-v2
  s0: shut
  s1: open
  [*] --> s0
  s0 --> s1: pull
  s1 --> s0: push
  s1 --> s1: pull
`);
    expect(chartToDot(chart)).toContain('s1 -> s0 [label="push"];');
    expectXml(chartToSvg(chart));
    expect(textsOf(chartToSvg(chart))).toContain('push → shut');
  });

  it('have each transition once in Graphviz', () => {
    expect(chartToDot(statechartOf(pipelineMachine))).toMatchInlineSnapshot(`
      "digraph "pipeline" {
        graph [rankdir=LR, fontname="Helvetica"];
        node [shape=box, style=rounded, fontname="Helvetica"];
        edge [fontname="Helvetica", fontsize=10];
        start [shape=point, width=0.2];
        s0 [label="running"];
        s1 [label="settling"];
        s2 [peripheries=2, label="completed"];
        s3 [peripheries=2, label="rejected"];
        s4 [peripheries=2, label="failed"];
        s5 [peripheries=2, label="cancelled"];
        s6 [peripheries=2, label="exhausted"];
        start -> s0;
        s0 -> s1 [label="settle"];
        s1 -> s2 [label="1 [hasEnded completed]"];
        s1 -> s3 [label="2 [hasEnded rejected]"];
        s1 -> s4 [label="3 [hasEnded failed]"];
        s1 -> s5 [label="4 [hasEnded cancelled]"];
        s1 -> s6 [label="5 [otherwise]"];
      }
      "
    `);
  });

  it('list the transitions of each state in SVG, in the order of evaluation', () => {
    const svg = chartToSvg(statechartOf(phaseMachine));
    expectXml(svg);
    const texts = textsOf(svg);
    const at = texts.indexOf('deciding');
    expect(texts.slice(at, at + 17)).toEqual([
      'deciding',
      '1 [isBroken] → failed',
      '2 [mayAskAgain] → reviewing',
      '3 [mayAskPerson] → escalated',
      '4 [isUnanswered] → failed',
      '5 [approvesWithoutOutputs] → failed',
      '6 [approves] → approved',
      '7 [mayRetry] → retrying',
      '8 [mayRewind] → rewinding',
      '9 [rejects] → rejected',
      '10 [escalates] → escalated',
      '11 [reworkIsRefused] → failed',
      '12 [escalatesInvalidTarget] → escalated',
      '13 [ignoresInvalidTarget] → approved',
      '14 [escalatesExhausted] → escalated',
      '15 [acceptsExhausted] → approved',
      '16 [otherwise] → rejected',
    ]);
    expect(texts.slice(0, 2)).toEqual(['any state', 'cancel → cancelled']);
    expect(texts).toContain('4 attempt.done [otherwise] → reviewing');
  });
});

/** Asserts XML 1.0: allowed characters, matching tags, quoted attributes, and only known entities. */
function expectXml(document: string): void {
  expect(document).toMatch(/^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u);
  const open: string[] = [];
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<&]*")*)(\/?)>/gu;
  const between = document.replace(tag, (_, closes: string, name: string, __: string, isEmpty: string) => {
    if (closes) expect(open.pop()).toBe(name);
    else if (!isEmpty) open.push(name);
    return '';
  });
  expect(open).toEqual([]);
  expect(between.replace(/&(?:amp|lt|gt|quot|#39);/gu, '')).not.toMatch(/[<&]/u);
}

/** Returns the texts of a picture, in drawing order. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/gu)].map(([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );
}

/** Generates names that a definition accepts, made of characters that are special in pictures. */
function names(): fc.Arbitrary<readonly string[]> {
  const piece = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('"', '\\', '#', '%%', '`', ';', '-->', '\u2028'),
  );
  const name = fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .map((pieces) => `n${pieces.join('').replace(/\p{Cc}/gu, '')}n`);
  return fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
}
