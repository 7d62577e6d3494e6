import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  phase,
  renderPrompt,
  retry,
  retryPredecessor,
  task,
  type Correction,
  type GatePolicy,
  type Revision,
  type RevisionStyle,
  type TaskContext,
} from '../src/index.ts';
import { gatePolicySchema } from '../src/model/plan/policy-schema.ts';
import { rehearse } from '../src/testing.ts';

const ensemble: RevisionStyle = { layout: 'ensemble', strategy: 'feedback', maxRevisionChars: 32_000 };
const rejectionFirst: RevisionStyle = { ...ensemble, layout: 'rejection-first' };
const strategies = gatePolicySchema.shape.strategy.unwrap().options;

/** Returns the revision after these corrections of attempts 0, 1, 2 …. The last one is new. */
function revisionOf(
  ...demands: readonly (readonly [feedback: string, requiredChange?: string | undefined])[]
): Revision {
  const history = demands.map(([feedback, requiredChange], attempt): Correction => {
    return { attempt, from: 'writing', feedback, ...(requiredChange !== undefined && { requiredChange }) };
  });
  const { feedback = '', requiredChange } = history.at(-1) ?? {};
  return {
    attempt: demands.length,
    feedback,
    ...(requiredChange !== undefined && { requiredChange }),
    history,
  };
}

/** A revision with three corrections, the second of which is repeated. */
const third = revisionOf(
  ['Add numbers. They are missing.', 'Add numbers.'],
  ['The second section says nothing. Cut it.'],
  ['Still no numbers.\nLook at the first section.', 'Add numbers.'],
);

describe('renderPrompt() in the ensemble layout', () => {
  it('writes feedback and previous output before the task', () => {
    const revision = revisionOf(['Cite two sources.\n\nBe brief: one page.']);
    expect(renderPrompt('Write the article.', revision, 'A draft.\n', ensemble)).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Feedback
      Cite two sources.

      Be brief: one page.

      ### Previous Output
      A draft.


      ## Task
      Write the article."
    `);
  });

  it('omits the previous output if there is none', () => {
    const revision = revisionOf(['Cite two sources.']);
    const prompt = renderPrompt('Write the article.', revision, undefined, ensemble);
    expect(prompt).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Feedback
      Cite two sources.

      ## Task
      Write the article."
    `);
    expect(renderPrompt('Write the article.', revision, null, ensemble)).toBe(prompt);
    expect(renderPrompt('Write the article.', revision, '', ensemble)).toBe(prompt);
  });

  it('adds a required change that the feedback does not contain', () => {
    const revision = revisionOf(['It is hard to follow.', 'Number the sections.']);
    expect(renderPrompt('Write the article.', revision, undefined, ensemble)).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Number the sections.

      ### Feedback
      It is hard to follow.

      ## Task
      Write the article."
    `);
  });

  it('does not repeat a required change that the feedback contains', () => {
    const revision = revisionOf(['Number the sections. It is hard to follow.', 'Number the sections.']);
    expect(renderPrompt('Write the article.', revision, undefined, ensemble)).not.toContain('Required Change');
  });

  it('shows only the previous output if the feedback is empty', () => {
    expect(renderPrompt('Write the article.', revisionOf(['']), 'A draft.', ensemble)).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.

      ### Previous Output
      A draft.

      ## Task
      Write the article."
    `);
  });

  it('is the plain description without a revision', () => {
    expect(renderPrompt('Write the article.', revisionOf(['']), undefined, ensemble)).toBe('Write the article.');
  });
});

describe('renderPrompt() in the rejection-first layout', () => {
  it('leads with the required change', () => {
    const revision = revisionOf(['It is hard to follow.\nI got lost.', 'Number the sections.']);
    expect(renderPrompt('Write the article.', revision, 'A draft.', rejectionFirst)).toMatchInlineSnapshot(`
      "## ATTEMPT #2 — previous attempt rejected

      **Required change**: Number the sections.
      **Reviewer critique**: It is hard to follow.
      I got lost.

      ---

      Write the article."
    `);
  });

  it('uses the first sentence of the feedback if there is no required change', () => {
    const revision = revisionOf(['Use version 2.0 of the data. The old one is wrong.\nSee the notes.']);
    expect(renderPrompt('Write the article.', revision, undefined, rejectionFirst)).toMatchInlineSnapshot(`
      "## ATTEMPT #2 — previous attempt rejected

      **Required change**: Use version 2.0 of the data.
      **Reviewer critique**: Use version 2.0 of the data. The old one is wrong.
      See the notes.

      ---

      Write the article."
    `);
  });

  it('cuts a long sentence', () => {
    const revision = revisionOf([`Change ${'very '.repeat(100)}much.`]);
    const [, , change = ''] = renderPrompt('Write.', revision, undefined, rejectionFirst).split('\n');
    expect(change).toHaveLength('**Required change**: '.length + 200 + ' […]'.length);
  });

  it('says only that the attempt was rejected if the feedback is empty', () => {
    expect(renderPrompt('Write the article.', revisionOf(['']), 'A draft.', rejectionFirst)).toMatchInlineSnapshot(`
      "## ATTEMPT #2 — previous attempt rejected

      ---

      Write the article."
    `);
  });
});

describe('renderPrompt() by strategy, in both layouts', () => {
  function inBoth(strategy: RevisionStyle['strategy']): string {
    const styles = [ensemble, rejectionFirst].map((style) => ({ ...style, strategy }));
    return styles.map((style) => renderPrompt('Write the article.', third, 'A draft.', style)).join('\n\n=====\n\n');
  }

  it('feedback', () => {
    expect(inBoth('feedback')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 4)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Add numbers.

      ### Feedback
      Still no numbers.
      Look at the first section.

      ### Previous Output
      A draft.

      ## Task
      Write the article.

      =====

      ## ATTEMPT #4 — previous attempt rejected

      **Required change**: Add numbers.
      **Reviewer critique**: Still no numbers.
      Look at the first section.

      ---

      Write the article."
    `);
  });

  it('feedbackHistory', () => {
    expect(inBoth('feedbackHistory')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 4)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Add numbers.

      ### Feedback
      Still no numbers.
      Look at the first section.

      ### Earlier Required Changes
      - Add numbers.
      - The second section says nothing.
      Warning: this change was asked for before and not made.

      ### Previous Output
      A draft.

      ## Task
      Write the article.

      =====

      ## ATTEMPT #4 — previous attempt rejected

      **Required change**: Add numbers.
      **Reviewer critique**: Still no numbers.
      Look at the first section.

      **Earlier required changes**:
      - Add numbers.
      - The second section says nothing.
      Warning: this change was asked for before and not made.

      ---

      Write the article."
    `);
  });

  it('lastAttempt', () => {
    expect(inBoth('lastAttempt')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 4)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Add numbers.

      ### Previous Output
      A draft.

      ## Task
      Write the article.

      =====

      ## ATTEMPT #4 — previous attempt rejected

      **Required change**: Add numbers.

      **Previous output**:
      A draft.

      ---

      Write the article."
    `);
  });

  it('fresh', () => {
    expect(inBoth('fresh')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 4)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Add numbers.

      ### Feedback
      Start over. Avoid what was rejected: Still no numbers.
      Look at the first section.

      ## Task
      Write the article.

      =====

      ## ATTEMPT #4 — previous attempt rejected

      **Required change**: Add numbers.
      **Reviewer critique**: Start over. Avoid what was rejected: Still no numbers.
      Look at the first section.

      ---

      Write the article."
    `);
  });

  it('none', () => {
    expect(inBoth('none')).toMatchInlineSnapshot(`
      "Write the article.

      =====

      Write the article."
    `);
  });
});

describe('renderPrompt() writes the previous output as it was', () => {
  it.each([
    ['text', 'two\nlines ', 'two\nlines '],
    ['an object', { title: 'Gates', tags: ['a'] }, '{\n  "title": "Gates",\n  "tags": [\n    "a"\n  ]\n}'],
    ['a list', [1, 2], '[\n  1,\n  2\n]'],
    ['a number', 0, '0'],
    ['a boolean', false, 'false'],
  ])('%s', (_, output, text) => {
    const prompt = renderPrompt('Write.', revisionOf(['x']), output, ensemble);
    expect(prompt).toContain(`\n### Previous Output\n${text}\n\n## Task\n`);
  });
});

describe('renderPrompt() leaves the description as it is', () => {
  it.each([ensemble, rejectionFirst])('$layout', (style) => {
    const description = '  ## Task\r\nkeep $& and $1\n\n';
    expect(renderPrompt(description, undefined, 'A draft.', style)).toBe(description);
    const prompt = renderPrompt(description, revisionOf(['x $& y']), 'A draft.', style);
    expect(prompt.endsWith(`\n${description}`)).toBe(true);
    expect(prompt).toContain('x $& y');
  });
});

describe('renderPrompt() with a history', () => {
  const style: RevisionStyle = { ...ensemble, strategy: 'feedbackHistory' };

  function historyOf(revision: Revision): readonly string[] {
    const [, section = ''] = renderPrompt('Write.', revision, undefined, style).split('### Earlier Required Changes\n');
    return section === '' ? [] : (section.split('\n\n')[0] ?? '').split('\n');
  }

  it('has no section for the first correction', () => {
    expect(historyOf(revisionOf(['One.']))).toEqual([]);
  });

  it('lists the last three before this one, oldest first', () => {
    const revision = revisionOf(['One.'], ['Two. And more.'], ['x', 'Three.'], ['Four.\nAnd more.'], ['Five.']);
    expect(historyOf(revision)).toEqual(['- Two.', '- Three.', '- Four.']);
  });

  it('warns if a change is requested again, even one that is no longer listed', () => {
    const revision = revisionOf(['One.'], ['Two.'], ['Three.'], ['Four.'], ['One.']);
    expect(historyOf(revision)).toEqual([
      '- Two.',
      '- Three.',
      '- Four.',
      'Warning: this change was asked for before and not made.',
    ]);
  });

  it('does not take simultaneous demands for earlier ones', () => {
    const together = { ...revisionOf(['One.'], ['Two.'], ['Two.']), feedback: 'Two.\n\nTwo.' };
    expect(historyOf(together)).toEqual(['- One.']);
  });

  it('has no line for a correction without a text', () => {
    expect(historyOf(revisionOf([''], [''], ['Three.']))).toEqual([]);
  });
});

describe('renderPrompt() within its budget', () => {
  const revision = revisionOf(
    ['Add numbers.'],
    [`Number the sections. ${'Why? '.repeat(60)}`, 'Number the sections, please.'],
  );
  const style: RevisionStyle = { ...ensemble, strategy: 'feedbackHistory' };
  const full = renderPrompt('', revision, 'A draft.', style);

  /** Returns the rest of the revision under a limit. */
  function leftAt(maxRevisionChars: number, layout = style.layout) {
    const prompt = renderPrompt('Write.', revision, 'A draft.', { ...style, layout, maxRevisionChars });
    expect(prompt.endsWith('Write.')).toBe(true);
    expect(prompt).toContain('Number the sections, please.');
    return {
      previous: prompt.includes('A draft.'),
      history: prompt.includes('- Add numbers.'),
      feedback: prompt.includes('Why? '.repeat(60).trim()),
      cut: prompt.includes(' […]'),
      chars: prompt.length - 'Write.'.length,
    };
  }

  it('drops previous output, then history, then the tail of the feedback', () => {
    const previous = '### Previous Output\nA draft.\n\n'.length;
    const history = '### Earlier Required Changes\n- Add numbers.\n\n'.length;
    expect(leftAt(full.length)).toMatchObject({ previous: true, history: true, feedback: true, chars: full.length });
    expect(leftAt(full.length - 1)).toMatchObject({ previous: false, history: true, feedback: true, cut: false });
    expect(leftAt(full.length - previous)).toMatchObject({ history: true, chars: full.length - previous });
    expect(leftAt(full.length - previous - 1)).toMatchObject({ history: false, feedback: true, cut: false });
    const bare = full.length - previous - history;
    expect(leftAt(bare)).toMatchObject({ history: false, feedback: true, cut: false, chars: bare });
    expect(leftAt(bare - 1)).toMatchObject({ history: false, feedback: false, cut: true, chars: bare - 1 });
  });

  it('cuts the tail of the feedback in the rejection-first layout as well', () => {
    expect(leftAt(256, 'rejection-first')).toMatchObject({ history: false, feedback: false, cut: true, chars: 256 });
  });

  it('never cuts a required change, however long', () => {
    const change = `Number ${'all '.repeat(200)}sections.`;
    for (const layout of ['ensemble', 'rejection-first'] as const) {
      const long = revisionOf(['It is hard to follow.', change]);
      const prompt = renderPrompt('Write.', long, 'A draft.', { ...style, layout, maxRevisionChars: 256 });
      expect(prompt).toContain(change);
      expect(prompt).not.toContain('A draft.');
      expect(prompt.endsWith('\nWrite.')).toBe(true);
    }
  });

  it('does not split a character', () => {
    for (const maxRevisionChars of [256, 257]) {
      const prompt = renderPrompt('', revisionOf(['🙂'.repeat(200)]), undefined, { ...ensemble, maxRevisionChars });
      expect(prompt).toContain('🙂 […]');
      expect(encodeURIComponent(prompt)).toContain('%F0%9F%99%82%20%5B');
    }
  });

  it('stays within the limit, and keeps task and required change, for any revision', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 600 });
    const demand = fc.tuple(words, fc.option(fc.string({ minLength: 1, maxLength: 40 }), { nil: undefined }));
    fc.assert(
      fc.property(
        fc.array(demand, { minLength: 1, maxLength: 5 }),
        words,
        words,
        fc.constantFrom(...strategies),
        fc.constantFrom('ensemble' as const, 'rejection-first' as const),
        fc.integer({ min: 256, max: 1000 }),
        (demands, description, previous, strategy, layout, maxRevisionChars) => {
          const revised = revisionOf(...demands);
          const limits = { layout, strategy, maxRevisionChars };
          const prompt = renderPrompt(description, revised, previous, limits);
          expect(prompt.endsWith(description)).toBe(true);
          // The frame of a layout has at most 170 characters, and a first sentence in place of a change at most 204.
          expect(prompt.length - description.length).toBeLessThanOrEqual(Math.max(maxRevisionChars, 170 + 204));
          if (strategy !== 'none') expect(prompt).toContain(revised.requiredChange ?? '');
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('prompts of a run', () => {
  it.each(['ensemble', 'rejection-first'] as const)('do not nest one prompt in the next (%s)', async (layout) => {
    const seen = (await corrected({ layout }, 'Change 0.', 'Change 1.', 'Change 2.'))('draft');
    expect(seen).toHaveLength(4);
    for (const [attempt, prompt] of seen.entries()) {
      const revision = revisionOf(...[0, 1, 2].slice(0, attempt).map((number) => [`Change ${number}.`] as const));
      const previous = `draft ${attempt - 1}`;
      const style = { ...ensemble, layout };
      expect(prompt).toBe(renderPrompt('Do draft.', attempt === 0 ? undefined : revision, previous, style));
      expect(prompt.match(/Do draft\./gu)).toHaveLength(1);
      expect(prompt.match(/Attempt \d|ATTEMPT #\d/gu) ?? []).toEqual(
        attempt === 0 ? [] : [layout === 'ensemble' ? `Attempt ${attempt + 1}` : `ATTEMPT #${attempt + 1}`],
      );
    }
  });

  it('have the previous output of the same task', async () => {
    const seen = await corrected({}, 'Shorten it.');
    expect(seen('outline')[1]).toContain('### Previous Output\noutline 0\n\n## Task\nDo outline.');
    expect(seen('draft')[1]).toContain('### Previous Output\ndraft 0\n\n## Task\nDo draft.');
  });

  it('change if a later phase sends the phase back, but not for the later phase', async () => {
    //  research ──▶ writing
    //      ▲───────────┘ once
    const research = phase('research', { tasks: [named('gather')] });
    const writing = phase('writing', { after: [research], tasks: [named('draft')], review: () => approve() });
    const { prompts } = await rehearse(definePipeline({ name: 'article', phases: [research, writing] }), {
      tasks: { '*': numbered },
      reviews: { writing: [retryPredecessor('research', 'Add numbers.'), approve()] },
    });
    const revised = renderPrompt('Do gather.', revisionOf(['Add numbers.']), 'gather 0', ensemble);
    expect(prompts('gather')).toEqual(['Do gather.', revised]);
    expect(prompts('draft')).toEqual(['Do draft.', 'Do draft.']);
  });
});

// --- internal ---

const named = (name: string) => task(name, { description: `Do ${name}.`, run: () => name });

/** The step of a task: its name and the number of the attempt. */
const numbered = ({ task: name, attempt }: TaskContext) => `${name} ${attempt}`;

/** Rehearses a phase of two tasks, which is sent back with each feedback. @returns The prompts of a task. */
async function corrected(policy: GatePolicy, ...feedback: readonly string[]) {
  const review = { by: () => approve(), maxRetries: 5 };
  const phases = [phase('writing', { tasks: [named('outline'), named('draft')], review })];
  const { result, prompts } = await rehearse(definePipeline({ name: 'article', phases, policy }), {
    tasks: { '*': numbered },
    reviews: { writing: [...feedback.map((one) => retry(one)), approve()] },
  });
  expect(result.status).toBe('completed');
  return prompts;
}
