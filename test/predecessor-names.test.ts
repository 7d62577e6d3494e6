import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  escalate,
  formatDecision,
  parseDecision,
  phase,
  reject,
  retry,
  retryPredecessor,
  task,
  type Decision,
  type RunResult,
} from '../src/index.ts';
import { nameProblem } from '../src/model/definition/names.ts';
import { rehearse } from '../src/testing.ts';

/** Tests that each text sends back its phase with its feedback. */
function reads(
  phases: readonly string[],
  table: readonly (readonly [text: string, phase: string, feedback: string])[],
): void {
  it.each(table)('%j', (text, name, feedback) => {
    expect(parseDecision(text, { phases })).toStrictEqual(retryPredecessor(name, feedback));
  });
}

/** Names with a meaning for a parser that does not know them. */
const AWKWARD = ['_draft', 'draft_', '_x_', '*b*', '**', '[lint]', 'build (x)', 'test:unit', '"a": "b"', ':a', 'a:'];
const MORE = ['test: unit', '"quoted"', '“a”', '`a`', '- a', 'a - b', '```', '"', '：', 'a：b', 'research.'];

describe('parseDecision() with exact names of phases', () => {
  it.each([...AWKWARD, ...MORE])('%s', (name) => {
    const decision = retryPredecessor(name, 'add a case');
    const phases = [name, 'other'];
    expect(parseDecision(`RETRY_PREDECESSOR ${name}: add a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`retry-predecessor  ${name} : add a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`**RETRY_PREDECESSOR** ${name}: add a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`**RETRY_PREDECESSOR ${name}: add a case**`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`**RETRY_PREDECESSOR ${name}:** add a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`**RETRY_PREDECESSOR ${name}**: add a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`RETRY_PREDECESSOR ${name}\nadd a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`RETRY_PREDECESSOR ${name} - add a case`, { phases })).toStrictEqual(decision);
    expect(parseDecision(`Two cases are missing.\n\nRETRY_PREDECESSOR ${name}: add a case`, { phases })).toStrictEqual(
      decision,
    );
    expect(parseDecision(`RETRY_PREDECESSOR ${name}`, { phases })).toStrictEqual(retryPredecessor(name, ''));
  });
});

describe('parseDecision() with names of phases takes the longest', () => {
  reads(
    ['test', 'test:unit', 'test: unit', 'z'],
    [
      ['RETRY_PREDECESSOR test: add a case', 'test', 'add a case'],
      ['RETRY_PREDECESSOR test:unit: add a case', 'test:unit', 'add a case'],
      ['RETRY_PREDECESSOR test: unit: add a case', 'test: unit', 'add a case'],
      ['RETRY_PREDECESSOR "test": unit: add a case', 'test', 'unit: add a case'],
      ['RETRY_PREDECESSOR test:unit add a case', 'test:unit', 'add a case'],
      ['RETRY_PREDECESSOR test:add a case', 'test', 'add a case'],
      ['RETRY_PREDECESSOR test: unity: x', 'test', 'unity: x'],
      ['RETRY_PREDECESSOR: test:unit: add a case', 'test:unit', 'add a case'],
    ],
  );
});

describe('parseDecision() with names of phases accepts lenient forms if no name matches exactly', () => {
  reads(
    ['test', 'test:unit', '_draft', 'Draft', 'market research'],
    [
      ['RETRY_PREDECESSOR **test:unit**: x', 'test:unit', 'x'],
      ['**RETRY_PREDECESSOR `test:unit`: x**', 'test:unit', 'x'],
      ['**RETRY_PREDECESSOR "test:unit"**: use **bold**', 'test:unit', 'use **bold**'],
      ['RETRY_PREDECESSOR "test:unit": x', 'test:unit', 'x'],
      ['RETRY_PREDECESSOR "test:\\u0075nit": x', 'test:unit', 'x'],
      ['RETRY_PREDECESSOR(test:unit): x', 'test:unit', 'x'],
      ['RETRY_PREDECESSOR <test:unit> - x', 'test:unit', 'x'],
      ['RETRY_PREDECESSOR Test:Unit: x', 'test:unit', 'x'],
      ['RETRY_PREDECESSOR “TEST:UNIT”: x', 'test:unit', 'x'],
      ['RETRY_PREDECESSOR draft: x', '_draft', 'x'],
      ['RETRY_PREDECESSOR *Draft*: x', 'Draft', 'x'],
      ['RETRY_PREDECESSOR [Market Research]: x', 'market research', 'x'],
      ['RETRY_PREDECESSOR market research, more figures', 'market research', 'more figures'],
      ['RETRY_PREDECESSOR market research needs figures', 'market research', 'needs figures'],
    ],
  );

  it('does not choose among names that differ only in lenient forms', () => {
    const text = 'RETRY_PREDECESSOR draft: x';
    expect(parseDecision(text, { phases: ['_draft', 'draft_'] })).toStrictEqual(retryPredecessor('draft', 'x'));
    expect(parseDecision(text, { phases: ['Draft', 'DRAFT'] })).toStrictEqual(retryPredecessor('draft', 'x'));
    expect(parseDecision(text, { phases: ['Draft', 'draft'] })).toStrictEqual(retryPredecessor('draft', 'x'));
    expect(parseDecision(text, { phases: ['_draft', 'draft'] })).toStrictEqual(retryPredecessor('draft', 'x'));
  });

  it('returns an unknown name as written', () => {
    const phases = ['test'];
    expect(parseDecision('RETRY_PREDECESSOR testing: x', { phases })).toStrictEqual(retryPredecessor('testing', 'x'));
    expect(parseDecision('RETRY_PREDECESSOR "a: b": x', { phases })).toStrictEqual(retryPredecessor('a: b', 'x'));
    expect(parseDecision('RETRY_PREDECESSOR test is not needed', { phases })).toStrictEqual(
      retryPredecessor('test is not needed', ''),
    );
  });
});

describe('parseDecision() and formatDecision() with names of phases', () => {
  it('are inverse, whatever the phases are called', () => {
    fc.assert(
      fc.property(anyCase, ({ phases, decision }) => {
        expect(parseDecision(formatDecision(decision, { phases }), { phases })).toStrictEqual(decision);
      }),
      { numRuns: 5000 },
    );
  });

  it('are inverse if only the parser knows the names, and none begins with another or with a quote', () => {
    const names = fc.uniqueArray(anyName, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(names, anyBody, ([name = 'a', ...others], feedback) => {
        fc.pre(!others.some((one) => one.startsWith(name) || one.startsWith('"')));
        const decision = retryPredecessor(name, feedback);
        expect(parseDecision(formatDecision(decision), { phases: [name, ...others] })).toStrictEqual(decision);
      }),
      { numRuns: 5000 },
    );
  });

  it('read a name that is written exactly', () => {
    fc.assert(
      fc.property(anyCase, ({ phases, decision }) => {
        const name = decision.type === 'retryPredecessor' ? decision.phase : (phases[0] ?? 'a');
        fc.pre(!phases.some((one) => one.startsWith(name) && /^\s*[:：]/u.test(one.slice(name.length))));
        // The escaped form of another known name is excluded.
        fc.pre(!name.startsWith('"\\u'));
        expect(parseDecision(`RETRY_PREDECESSOR ${name}: add a case`, { phases })).toStrictEqual(
          retryPredecessor(name, 'add a case'),
        );
      }),
      { numRuns: 5000 },
    );
  });

  it.each<readonly [phases: readonly string[], name: string, feedback: string, text: string]>([
    [['a', 'a: b'], 'a', 'x', 'RETRY_PREDECESSOR a: x'],
    [['a', 'a: b'], 'a', 'b: x', 'RETRY_PREDECESSOR "a": b: x'],
    [['a', 'a: b', '"a"'], 'a', 'b: x', String.raw`RETRY_PREDECESSOR "\u0061": b: x`],
    [['a', 'a:'], 'a', '', 'RETRY_PREDECESSOR "a": '],
    [['test:unit'], 'test:unit', 'x', 'RETRY_PREDECESSOR test:unit: x'],
  ])('%j: writes %s, %j as %s', (phases, name, feedback, text) => {
    expect(formatDecision(retryPredecessor(name, feedback), { phases })).toBe(text);
  });
});

describe('a reviewer that answers in text', () => {
  it.each(AWKWARD)('sends back %s', async (name) => {
    const { phases } = await run(name);
    expect(phases[name]).toMatchObject({ status: 'approved', generation: 1 });
    expect(phases['test']).toMatchObject({ status: 'approved', generation: 0 });
    expect(phases['z']).toMatchObject({ status: 'approved', because: 'approved' });
  });

  it('does not send back a shorter name if the named phase is forbidden', async () => {
    const { phases } = await run('test:unit', { rewindTo: ['test'], onInvalidTarget: 'escalate' }, reject('so'));
    expect(phases).toMatchObject({ test: { generation: 0 }, 'test:unit': { generation: 0 }, z: { reason: 'so' } });
  });
});

describe('a person who answers in text', () => {
  it.each(AWKWARD)('sends back %s', async (name) => {
    const { phases } = await run(
      name,
      { rewindTo: ['test'], onInvalidTarget: 'escalate' },
      `RETRY_PREDECESSOR ${name}: add a case`,
    );
    expect(phases[name]).toMatchObject({ status: 'approved', generation: 1 });
    expect(phases['test']).toMatchObject({ status: 'approved', generation: 0 });
    expect(phases['z']).toMatchObject({ status: 'approved', because: 'approved' });
  });
});

// --- internal ---

const PARTS =
  'a|b|A|test|unit| |:|: |：|"|\\"|“|”|\'|`|```|*|**|_|[|]|(|)|<|>| - |-|.|,|\\|\\u0061|"a"|is|é|🎉|\uD83C'.split('|');

const anyName = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }).map((all) => all.join('')),
    },
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  )
  .filter((name) => nameProblem(name) === undefined);

const anyBody = fc.oneof(
  fc.array(fc.constantFrom(...PARTS, '\n', 'RETRY: x'), { maxLength: 6 }).map((all) => all.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** Generates names, some of which are prefixes or variants of others, and a decision about one of them. */
const anyCase = fc
  .tuple(fc.uniqueArray(anyName, { minLength: 1, maxLength: 4 }), anyBody, fc.nat(), fc.nat({ max: 9 }))
  .map(([names, body, pick, kind]) => {
    const [first = 'a', second = 'b'] = names;
    const related = [...names, `${first}: ${body}`, `${first}:${second}`, `"${first}"`, JSON.stringify(first)];
    const phases = [...new Set(related)].filter((name) => nameProblem(name) === undefined);
    const name = phases[pick % phases.length] ?? first;
    const others: readonly Decision[] = [approve(), retry(body), reject(body), escalate(body)];
    return { phases, decision: others[kind] ?? retryPredecessor(name, body) };
  });

/** Rehearses `test` and another phase, and then one whose reviewer sends that phase back, and then approves. */
async function run(
  name: string,
  options: { readonly rewindTo?: readonly string[]; readonly onInvalidTarget?: 'escalate' } = {},
  person?: Decision | string,
): Promise<RunResult> {
  const tasks = [task('t', { run: () => 'text' })];
  const review = { by: task('judge', { run: () => 'APPROVE' }), ...options };
  const phases = [
    phase('test', { tasks }),
    phase(name, { tasks }),
    phase('z', { after: ['test', name], tasks, review }),
  ];
  const { result } = await rehearse(definePipeline({ name: 'p', phases }), {
    tasks: { '*': 'text' },
    reviews: { judge: [`RETRY_PREDECESSOR ${name}: add a case`, 'APPROVE'] },
    ...(person !== undefined && { people: { z: [person] } }),
  });
  return result;
}
