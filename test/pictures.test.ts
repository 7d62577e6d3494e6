import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definePipeline, phase, retry, task, type Plan } from '../src/index.ts';
import { toDot } from '../visualizations/dot.ts';
import { toMermaid } from '../visualizations/mermaid.ts';

const run = (): number => 1;

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
      by: [task('editor', { run }), task('lawyer', { run })],
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

/** A plan whose phases, tasks and checks have these names, each after the one before. */
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
  'p1',
  'p0t0',
];

describe('toMermaid', () => {
  it('draws phases, tasks, gates and the ways back', () => {
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

  it('lets no name out of its label', () => {
    expectMermaid(toMermaid(named(HOSTILE)), HOSTILE.length);
  });

  it('is well-formed for any names', () => {
    fc.assert(fc.property(names(), (some) => expectMermaid(toMermaid(named(some)), some.length)));
  });

  /** Every line is one of the few that are meant, and every node and phase has an id of its own. */
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
  it('draws phases, tasks, gates and the ways back', () => {
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

  it('lets no name out of its label', () => {
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

  /** Without its quoted strings, nothing is left but what is meant. */
  function expectDot(picture: string): void {
    const bare = picture.replace(/"(?:[^"\\\n]|\\["\\n])*"/gu, 'TEXT');
    const allowed =
      /^(?:digraph TEXT \{| {2}(?:graph|node|edge) \[[\w=, ]*\];| {2}subgraph cluster_p\d+ \{| {4}label=TEXT;| {4}p\d+(?:t\d+|g) \[(?:shape=diamond, style=solid, )?label=TEXT\];| {4}p\w+ -> p\w+;| {2}\}| {2}p\w+ -> p\w+ \[ltail=cluster_p\d+, lhead=cluster_p\d+(?:, style=dashed, constraint=false, label=TEXT)?\];|\}|)$/u;
    expect(bare.split('\n').filter((line) => !allowed.test(line))).toEqual([]);
  }
});

/** Names that a definition accepts, made of what pictures stumble over. */
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
