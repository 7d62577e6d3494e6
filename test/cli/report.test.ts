/** `phasegate report`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containing } from './article.ts';
import { files, phasegate, phasegateProcess, repository } from './cli.ts';

/** A pipeline whose names and texts have a meaning in Markdown, in HTML, or on a terminal. */
const HOSTILE = `
import { definePipeline, phase, requestChanges, task } from 'phasegate';
let asked = 0;
const bad = '</td><script>alert(1)</script> | a | b | \\x1b]0;title\\x07\\x1b[31m\\u202e ![x](http://evil.example/x.png) [y](javascript:z) \`code\` **b** www.evil.example <!-- & "q" @all';
export default definePipeline({ name: '<img src=x onerror=alert(2)>|*p*', phases: [
  phase('a|b <b>', { tasks: [task('t', { run: ({ report }) => { report({ costUsd: 0.5 }); return bad; } })],
    review: { by: () => asked++ === 0 ? requestChanges([{ id: bad, category: bad, severity: 'high', description: bad }], bad) : 'hm' } }),
] });
`;

/** A chain of phases, of which every tenth is sent back once. */
const MANY = `
import { definePipeline, phase, retry, task } from 'phasegate';
const names = Array.from({ length: 2000 }, (_, at) => 'p' + at);
export default definePipeline({ name: 'many', phases: names.map((name, at) => phase(name, {
  after: at % 50 === 0 ? [] : [names[at - 1]],
  tasks: [task('t', { run: () => at })],
  review: ({ attempt }) => at % 10 === 0 && attempt === 0 ? retry('again ' + at) : 'APPROVE',
})) });
`;

/** A pipeline whose end a file in its folder determines. */
const ENDS = `
import { definePipeline, escalate, phase, reject, task } from 'phasegate';
import { existsSync } from 'node:fs';
const fail = () => { throw new Error('It is down.'); };
export default definePipeline({ name: 'ends', limits: { corrections: 5, costUsd: 2 }, phases: [
  phase('a', { tasks: [task('t', { run: ({ report }) => { report({ costUsd: 0.5 }); return 1; } })] }),
  phase('b', { after: ['a'], tasks: [task('t', { run: () => existsSync(new URL('fail', import.meta.url)) ? fail() : 2 })],
    review: () => existsSync(new URL('ask', import.meta.url)) ? escalate('Legal must see this.') : reject('Not like this.') }),
] });
`;

/** A pipeline that reports a part of its usage, and estimates the rest. */
const ESTIMATED = `
import { definePipeline, phase, task } from 'phasegate';
export default definePipeline({ name: 'estimated', phases: [
  phase('a', { tasks: [task('said', { estimate: { tokens: 60 }, run: ({ report }) => report({ tokens: 40 }) })] }),
  phase('b', { tasks: [task('silent', { estimate: { tokens: 60, costUsd: 0.5 }, run: () => 2 })] }),
] });
`;

async function report(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await phasegate(['report', 'latest', ...args], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Returns the rows of a table of a Markdown report, as cells. */
function tableOf(text: string, heading: string): readonly (readonly string[])[] {
  const section = text.split(/^## /mu).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .filter((_, at) => at !== 1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/u)
        .slice(1, -1)
        .map((one) => one.trim()),
    );
}

describe('phasegate report', () => {
  it('marks the part of the cost that is an estimate, as the log does', async () => {
    const cwd = await files({ 'p.mjs': ESTIMATED });
    const { stdout } = await phasegate(['run', 'p.mjs'], { cwd });
    expect(stdout).toContain('b: silent used 60 tokens, $0.50 (estimated)\n');
    expect(stdout).toContain('a: said used 40 tokens\n');
    expect(tableOf(await report(cwd), 'Run')).toContainEqual([
      'Cost',
      String.raw`\$0.50, 100 tokens (60 tokens, \$0.50 of it estimated)`,
    ]);
    expect(JSON.parse(await report(cwd, '--json'))).toMatchObject({ estimated: { tokens: 60, costUsd: 0.5 } });
  });

  it('describes the example: defects, their origin, and their cost', async () => {
    const cwd = await files({});
    await phasegate(['run', join(repository, 'examples/design-review/pipeline.ts'), '--run-id', 'users'], { cwd });
    const text = await report(cwd);
    expect(text).toMatch(/^# Run users of "user-management": completed\n/u);
    expect(tableOf(text, 'Defects')).toEqual([
      [
        'No.',
        'Type',
        'Severity',
        'Defect',
        'Injected',
        'Detected',
        'Removed',
        'Fix',
        'Now',
        'Attempts',
        'Cost',
        'Tokens',
        'Time',
      ],
      [
        '1',
        'security',
        'critical',
        'No authentication mechanism.',
        'planning',
        'design (design-review)',
        'design',
        'planning v2',
        'fixed',
        'planning 1, design 1',
        String.raw`\$0.05`,
        '5000',
        expect.stringMatching(/^0\.\ds$/u),
      ],
    ]);
    expect(tableOf(text, 'Phases').map((row) => row.slice(0, 6))).toEqual([
      ['Phase', 'Status', 'Attempts', 'Generation', 'Corrections', 'Cost'],
      ['planning', 'approved (unreviewed)', '2', '2', '1', String.raw`\$0.04`],
      ['design', 'approved', '2', '1', '–', String.raw`\$0.08`],
      ['code', 'approved (unreviewed)', '1', '1', '–', String.raw`\$0.04`],
    ]);
    // As the other texts for people number it.
    const { stdout: shown } = await phasegate(['show', 'latest'], { cwd });
    expect(shown).toContain('attempt 2, generation 2');
    expect(tableOf(text, 'Decisions').map((row) => row.slice(2))).toEqual([
      ['Phase', 'Generation', 'Attempt', 'By', 'Decision'],
      ['design', '1', '1', 'gate', 'send back planning (issues: no-authentication)'],
      ['design', '1', '2', 'gate', 'approve'],
    ]);
    expect(tableOf(text, 'Effort').map((row) => row.slice(0, 3))).toEqual([
      ['', 'Cost', 'Tokens'],
      ['First work', String.raw`\$0.09`, '9000'],
      ['Reviews and checks', String.raw`\$0.02`, '2000'],
      ['Rework', String.raw`\$0.05`, '5000'],
      ['Rework share', '31.3 %', '31.3 %'],
      ['Appraisal to failure', '0.40', '0.40'],
    ]);
    expect(tableOf(text, 'Phase containment')).toEqual([
      ['Injected in', 'Removed in design', 'Accepted', 'Open', 'Total'],
      ['planning', '1', '–', '–', '1'],
    ]);
    expect(tableOf(text, 'Gates')[1]).toEqual(['design', '2', '–', '2', '1', '50.0 %']);
  });

  it('is a self-contained HTML page, or data', async () => {
    const cwd = await files({});
    await phasegate(['run', join(repository, 'examples/design-review/pipeline.ts'), '--run-id', 'users'], { cwd });
    expect(await report(cwd, '--html', '--out', 'r.html')).toBe(
      'the report on run users of "user-management" is in r.html\n',
    );
    const page = await readFile(join(cwd, 'r.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/u);
    expect(page).toContain('<td>planning v2</td>');
    expect(page).not.toMatch(/\b(?:src|href|url)\b\s*[=(]/u);
    const data = JSON.parse(await report(cwd, '--json')) as { readonly defects: readonly unknown[] };
    expect(data).toMatchObject({
      standing: 'completed',
      defects: [{ injected: 'planning', attempts: { planning: 1, design: 1 } }],
      measures: { removalEfficiency: 100 },
      decisions: [{ phase: 'design', verdict: { type: 'retryPredecessor' } }, { verdict: { type: 'approve' } }],
      remarks: [],
    });
    expect(JSON.stringify(data)).not.toContain('POST /users');
  });

  it('keeps every text of a run as text', async () => {
    const cwd = await files({ 'p.mjs': HOSTILE });
    await phasegate(['run', 'p.mjs'], { cwd });
    const [text, page] = [await report(cwd), await report(cwd, '--html')];
    for (const one of [text, page]) {
      expect(one).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e]/u);
      expect(one).not.toMatch(/<(?:script|img|b>|!--)/iu);
    }
    const tags = new Set([...page.matchAll(/<\/?([a-z0-9!]+)/giu)].map((match) => match[1]));
    expect(tags).toEqual(
      new Set([
        '!doctype',
        'body',
        'div',
        'h1',
        'h2',
        'head',
        'html',
        'meta',
        'p',
        'section',
        'style',
        'table',
        'tbody',
        'td',
        'th',
        'thead',
        'title',
        'tr',
      ]),
    );
    expect(page.match(/<\w+ [^>]*\b(?:on\w+|style|src|href)=/gu)).toBeNull();
    // Every mark that begins a link, a picture, code, emphasis or HTML is escaped.
    const cells = tableOf(text, 'Defects').slice(1).flat().join(' ');
    expect(cells).toContain('alert');
    expect(cells.replaceAll(/\\[^\w\s]/gu, '').replaceAll(/&(?:amp|lt|gt);/gu, '')).not.toMatch(
      /[`*_[\]<>|@&]|:\/\/|www\./u,
    );
    for (const heading of ['Defects', 'Decisions', 'Phases']) {
      const [head, ...rows] = tableOf(text, heading);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row.length).toBe(head?.length);
    }
  });

  it('shows at most 200 rows of a table, the most relevant first', async () => {
    const cwd = await files({ 'p.mjs': MANY });
    await phasegate(['run', 'p.mjs'], { cwd });
    const text = await report(cwd);
    const phases = tableOf(text, 'Phases').slice(1);
    expect(phases.length).toBe(200);
    expect(phases.every(([, , attempts]) => attempts === '2')).toBe(true);
    expect(text).toContain('… and 1800 more.');
    expect(tableOf(text, 'Defects').length).toBe(201);
    expect(text.length).toBeLessThan(150_000);
  }, 120_000);

  it.each([
    ['ask', 'waiting', ['Waits for a person', 'b'], 'waits for you'],
    ['fail', 'failed', ['Limits left', String.raw`corrections 5, costUsd \$1.50`], 'failed'],
    ['no', 'rejected', ['Corrections', '0'], 'rejected'],
  ])('describes a run that is not completed: %s', async (how, standing, fact, status) => {
    const cwd = await files({ 'p.mjs': ENDS, [how]: '' });
    await phasegateProcess(['run', 'p.mjs', '--run-id', 'r'], { cwd });
    const text = await report(cwd);
    expect(tableOf(text, 'Run')).toContainEqual(['Status', standing]);
    expect(tableOf(text, 'Run')).toContainEqual(fact);
    const [heads, ...phases] = tableOf(text, 'Phases');
    expect(heads?.slice(-2)).toEqual(['Worked', 'Waited']);
    expect(phases.at(-1)?.slice(0, 2)).toEqual(['b', status]);
  });

  it('shows quotes in the name of a pipeline as they are', async () => {
    const cwd = await files({ 'p.mjs': ENDS.replace("name: 'ends'", `name: 'say "hi"'`) });
    await phasegate(['run', 'p.mjs', '--run-id', 'r'], { cwd });
    expect(await report(cwd)).toMatch(/^# Run r of "say "hi"": /u);
    expect(await report(cwd, '--html')).toContain('<h1>Run r of &quot;say &quot;hi&quot;&quot;: ');
  });

  it('describes a run that was cut short, and an imported one', async () => {
    const cwd = await files({ 'p.mjs': ENDS });
    await phasegate(['run', 'p.mjs', '--run-id', 'whole'], { cwd });
    const whole = tableOf(await report(cwd), 'Run');
    await phasegate(['fork', 'whole', '--at', '2'], { cwd });
    const fork = new Map(tableOf(await report(cwd), 'Run').map(([fact, text]) => [fact, text]));
    // The fork has the records of the other run, so it has the same beginning.
    expect(whole).toContainEqual(['Started', fork.get('Started')]);
    expect(fork.get('Fork of')).toMatch(/^whole, made \d{4}-/u);
    await phasegate(['export', 'whole', '-o', 'run.jsonl'], { cwd });
    await phasegate(['import', 'run.jsonl', '--store', 'other.db'], { cwd });
    expect(await report(cwd, '--store', 'other.db')).toMatch(/^# Run whole of "ends": rejected\n/u);
  });

  it('refuses contradictory flags', async () => {
    const cwd = await files({ 'p.mjs': ENDS });
    await phasegate(['run', 'p.mjs'], { cwd });
    const refused = (...args: readonly string[]) => phasegate(['report', ...args], { cwd });
    expect(await refused('nobody')).toMatchObject({ code: 2, stderr: containing('RUN_UNKNOWN') });
    expect(await refused('latest', '--out', '/no/such/folder/r.md')).toMatchObject({
      code: 2,
      stderr: containing('Cannot write "/no/such/folder/r.md"'),
    });
    expect(await refused('latest', '--html', '--json')).toMatchObject({ code: 2, stdout: '' });
  });
});
