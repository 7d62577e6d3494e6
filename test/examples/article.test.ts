/** The article example of the command line, with functions and with models behind a server. */
import { afterEach, describe, expect, it } from 'vitest';
import { phasegateProcess as phasegate, untimed } from '../cli/cli.ts';
import { listen, verdict, type Entry, type Server } from '../openai/server.ts';

const PIPELINE = 'examples/article/pipeline.ts';

const FACTS = [
  { claim: 'Tides come late', figure: null, source: 'Tide Tables' },
  { claim: 'The sea bulges', figure: null, source: 'Tides and Water Levels' },
];
const MORE_FACTS = [...FACTS, { claim: 'The Moon is far', figure: '384,400 km', source: 'Moon Facts' }];

let server: Server | undefined;

afterEach(() => server?.close());

/** Runs the article with models that answer from a list. */
async function byModels(entries: readonly Entry[], env: Readonly<Record<string, string>> = {}) {
  server = await listen(entries);
  const ended = await phasegate(['run', PIPELINE], {
    env: { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: server.url, ...env },
  });
  return { ...ended, asked: server.asked };
}

/** Returns the lines about phases, without those of tasks. */
function stepsIn(stdout: string): readonly string[] {
  return untimed(stdout).filter((line) => /^\w+: (?:started|approved|verdict|retry|sends back|escalated)/u.test(line));
}

const facts = (value: unknown) => JSON.stringify({ value });

describe('examples/article without a key', () => {
  it('sends research back by its own gate, and once more by the gate of writing', async () => {
    //  research ──▶ writing
    //    ▲  ▲─┘ sources │
    //    └──────────────┘ figures
    const { code, stdout, stderr } = await phasegate(['run', PIPELINE]);
    expect(stderr).toBe('');
    expect(stepsIn(stdout)).toEqual([
      'research: started',
      'research: verdict: retry: The research rests on 2 sources.',
      'research: retry 1/2: Read at least 3 sources.',
      'research: started, attempt 2',
      'research: verdict: approve',
      'research: approved',
      'writing: started',
      'writing: verdict: send back research: 4 of 4 claims have no figure.',
      'writing: sends back research 1/1: Give a figure for every claim.',
      'research: started, attempt 3',
      'research: verdict: approve',
      'research: approved, version 2',
      'writing: started',
      'writing: verdict: approve',
      'writing: approved',
    ]);
    expect(stdout).toContain(
      'Where a bay narrows, the tide is at its highest, as in the Bay of Fundy (up to 16 metres).',
    );
    expect(code).toBe(0);
  });
});

describe('examples/article with a key', () => {
  it('asks the server for all work, and sends each part its feedback and its inputs', async () => {
    const draft = '# Tides\n\nThey come late.\n';
    const better = '# Tides\n\nThey come 12 hours and 25 minutes apart.\n';
    const needed = { severity: 'high', description: 'Nothing says how late.', affected_phase: 'research' };
    const { code, stdout, asked } = await byModels([
      facts(FACTS),
      'Tides come late [Tide Tables].',
      verdict({ verdict: 'needs_changes', required_change: 'Read a third source.', critique: 'Two are few.' }),
      facts(MORE_FACTS),
      'Tides come late [Tide Tables], the Moon is far [Moon Facts].',
      verdict({ prior_findings: [{ finding: 1, status: 'fixed' }] }),
      draft,
      verdict({
        verdict: 'needs_changes',
        required_change: 'Say how late tides come.',
        critique: 'No figure.',
        issues: [{ ...needed, category: null, evidence: null, impact: null, required_change: 'Find out how late.' }],
      }),
      facts(MORE_FACTS),
      'Tides come 12 hours and 25 minutes apart [Tide Tables].',
      verdict({}),
      better,
      verdict({ prior_findings: [{ finding: 1, status: 'fixed' }] }),
    ]);
    expect(
      stepsIn(stdout)
        .filter((line) => !line.includes(': verdict: '))
        .map((line) => line.replace(/(attempt \d+|\d\/\d): .*/u, '$1')),
    ).toEqual([
      'research: started',
      'research: retry 1/2',
      'research: started, attempt 2',
      'research: approved',
      'writing: started',
      'writing: sends back research 1/1',
      'research: started, attempt 3',
      'research: approved, version 2',
      'writing: started',
      'writing: approved',
    ]);
    expect([code, asked.length]).toEqual([0, 13]);
    expect(stdout).toContain('They come 12 hours and 25 minutes apart.');
    expect(
      new Set(asked.map(({ path, body, headers }) => [path, body['model'], headers.authorization].join(' '))),
    ).toEqual(new Set(['/v1/chat/completions gpt-5-mini Bearer secret']));

    const [gather, summary, critic, again, , , writing, editor, sentBack, , , rewriting, lastReview] = asked;
    expect(gather?.system).toContain('You research. Use the sources that you are shown');
    expect(gather?.user).toMatch(/^Gather facts that explain why[^]*### Sources\n```json[^]*"Sailing Directions"/u);
    expect(summary?.user).toMatch(/^Summarise the facts[^]*### Facts\n```json[^]*"Tides come late"/u);
    expect(summary?.user).not.toContain('Sailing Directions');
    expect(critic?.system).toContain('- At least 3 distinct sources are cited.');
    expect(critic?.user).toContain('Tides come late [Tide Tables].');

    // The retry prompt begins with the demand and the previous output, which the task follows.
    expect(again?.user).toMatch(
      /^## Revision Instructions \(Attempt 2\)[^]*Read a third source\.[^]*Gather facts that/u,
    );
    expect(writing?.user).toMatch(/^Write a short article[^]*### Research[^]*the Moon is far \[Moon Facts\]/u);
    expect(writing?.user).not.toContain('Two are few.');

    // The predecessor retry: research receives the issue of writing's editor, who is then shown it.
    expect(editor?.system).toContain('one of "research", "writing"');
    expect(editor?.user).toContain('They come late.');
    expect(sentBack?.user).toMatch(
      /^## Revision Instructions \(Attempt 3\)[^]*Nothing says how late\.[^]*Gather facts that explain/u,
    );
    expect(rewriting?.user).toContain('Tides come 12 hours and 25 minutes apart [Tide Tables].');
    expect(lastReview?.user).toContain('Nothing says how late.');
  });

  it('refuses an invented source of a model by a check, before the critic is asked', async () => {
    const { code, asked } = await byModels(
      [
        facts([{ claim: 'Whales do it', figure: '7', source: 'Whale Weekly' }]),
        'Whales do it [Whale Weekly].',
        facts(MORE_FACTS),
        'All of it.',
        verdict({}),
        '# Tides\n',
        verdict({}),
      ],
      { EXAMPLE_MODEL: 'my-model' },
    );
    expect([code, asked.length]).toEqual([0, 7]);
    expect(asked[2]?.user).toContain('Remove the facts of sources that do not exist: Whale Weekly.');
    expect(asked[2]?.body['model']).toBe('my-model');
  });
});
