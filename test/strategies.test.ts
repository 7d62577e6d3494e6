import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderPrompt, type Revision, type RevisionStyle, type TaskRecollection } from '../src/index.ts';
import {
  LONGEST_OBSERVATION,
  observed,
  withReflections,
  type Trajectory,
} from '../src/model/revision/revision-extras.ts';
import { elided } from '../src/model/values/text-limits.ts';

const revision: Revision = {
  attempt: 1,
  feedback: 'It names no number. The end is weak.',
  requiredChange: 'Name a number.',
  history: [],
};

const recalled: TaskRecollection = {
  reflections: ['I wrote of gates in general.', 'I was asked for numbers\nand gave none.'],
  artifacts: [
    { phase: 'plan', name: 'outline', content: 'One. Two.' },
    { phase: 'note', name: 'figures', content: { gates: 7 } },
  ],
  trajectory: walk(12),
};

const layouts = ['ensemble', 'rejection-first'] as const;

/** Creates a trajectory of that number of steps. */
function walk(steps: number): Trajectory | undefined {
  let seen: Trajectory | undefined;
  for (let step = 1; step <= steps; step++) seen = observed(seen, `looked at page ${step}`);
  return seen;
}

function styleOf(strategy: RevisionStyle['strategy'], more: Partial<RevisionStyle> = {}): RevisionStyle {
  return { layout: 'ensemble', strategy, maxRevisionChars: 32_000, ...more };
}

/** Renders the prompt in both layouts. */
function inBoth(strategy: RevisionStyle['strategy'], told: Revision & TaskRecollection = { ...revision, ...recalled }) {
  return layouts
    .map((layout) => renderPrompt('Write a note.', told, 'A draft.', styleOf(strategy, { layout })))
    .join('\n\n=====\n\n');
}

describe('renderPrompt() carries, by strategy', () => {
  it('reflexion: reflections, and no previous output', () => {
    expect(inBoth('reflexion')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Name a number.

      ### Feedback
      It names no number. The end is weak.

      ### Reflections on Rejected Attempts
      - I wrote of gates in general.
      - I was asked for numbers
      and gave none.

      ## Task
      Write a note.

      =====

      ## ATTEMPT #2 — previous attempt rejected

      **Required change**: Name a number.
      **Reviewer critique**: It names no number. The end is weak.

      **Reflections on rejected attempts**:
      - I wrote of gates in general.
      - I was asked for numbers
      and gave none.

      ---

      Write a note."
    `);
  });

  it('lastAttemptAndReflexion: reflections and the previous output', () => {
    expect(inBoth('lastAttemptAndReflexion')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Name a number.

      ### Feedback
      It names no number. The end is weak.

      ### Reflections on Rejected Attempts
      - I wrote of gates in general.
      - I was asked for numbers
      and gave none.

      ### Previous Output
      A draft.

      ## Task
      Write a note.

      =====

      ## ATTEMPT #2 — previous attempt rejected

      **Required change**: Name a number.
      **Reviewer critique**: It names no number. The end is weak.

      **Reflections on rejected attempts**:
      - I wrote of gates in general.
      - I was asked for numbers
      and gave none.

      **Previous output**:
      A draft.

      ---

      Write a note."
    `);
  });

  it('sharedPool: the artifacts in the order of the subscription', () => {
    expect(inBoth('sharedPool')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Name a number.

      ### Feedback
      It names no number. The end is weak.

      ### Shared Artifacts
      #### plan/outline
      One. Two.

      #### note/figures
      {
        "gates": 7
      }

      ### Previous Output
      A draft.

      ## Task
      Write a note.

      =====

      ## ATTEMPT #2 — previous attempt rejected

      **Required change**: Name a number.
      **Reviewer critique**: It names no number. The end is weak.

      **Shared artifacts**:
      #### plan/outline
      One. Two.

      #### note/figures
      {
        "gates": 7
      }

      ---

      Write a note."
    `);
  });

  it('trajectory: the first and the last observations', () => {
    expect(inBoth('trajectory')).toMatchInlineSnapshot(`
      "## Revision Instructions (Attempt 2)
      This task is being re-executed based on reviewer feedback.
      Incorporate the feedback below into your response.

      ### Required Change
      Name a number.

      ### Feedback
      It names no number. The end is weak.

      ### Previous Output
      A draft.

      ### Observations of the Previous Attempt
      1. looked at page 1
      2. looked at page 2
      3. looked at page 3
      4. looked at page 4
      5. looked at page 5
      [… 2 left out …]
      8. looked at page 8
      9. looked at page 9
      10. looked at page 10
      11. looked at page 11
      12. looked at page 12

      ## Task
      Write a note.

      =====

      ## ATTEMPT #2 — previous attempt rejected

      **Required change**: Name a number.
      **Reviewer critique**: It names no number. The end is weak.

      **Observations of the previous attempt**:
      1. looked at page 1
      2. looked at page 2
      3. looked at page 3
      4. looked at page 4
      5. looked at page 5
      [… 2 left out …]
      8. looked at page 8
      9. looked at page 9
      10. looked at page 10
      11. looked at page 11
      12. looked at page 12

      ---

      Write a note."
    `);
  });

  it.each(['reflexion', 'lastAttemptAndReflexion', 'sharedPool', 'trajectory'] as const)(
    '%s: only the feedback if there is nothing to recall',
    (strategy) => {
      const style = styleOf(strategy);
      expect(renderPrompt('Write.', revision, undefined, style)).toBe(
        renderPrompt('Write.', revision, undefined, styleOf('feedback')),
      );
    },
  );

  it.each(['feedback', 'feedbackHistory', 'lastAttempt', 'fresh', 'none'] as const)('%s: nothing', (strategy) => {
    expect(inBoth(strategy)).toBe(inBoth(strategy, revision));
  });
});

describe('renderPrompt() beyond its size', () => {
  /** Returns the remaining parts of everything that a strategy may carry, from the largest size to the smallest. */
  function leftOf(strategy: RevisionStyle['strategy'], layout: RevisionStyle['layout']): readonly string[] {
    const told = { ...revision, ...recalled, feedback: 'It names no number. '.repeat(30).trim() };
    const seen: string[] = [];
    for (let most = 4000; most >= 256; most -= 5) {
      const prompt = renderPrompt('Write.', told, 'A draft.', styleOf(strategy, { layout, maxRevisionChars: most }));
      expect(prompt).toContain('Name a number.');
      expect(prompt.endsWith('Write.')).toBe(true);
      expect(prompt.length - 'Write.'.length).toBeLessThanOrEqual(most);
      const parts = {
        trajectory: prompt.includes('looked at page 12'),
        previous: prompt.includes('A draft.'),
        outline: prompt.includes('plan/outline'),
        figures: prompt.includes('note/figures'),
        older: prompt.includes('in general'),
        newer: prompt.includes('gave none'),
        feedback: prompt.includes(told.feedback),
      };
      const left = Object.entries(parts).flatMap(([name, is]) => (is ? [name] : []));
      const line = left.join(' ');
      if (seen.at(-1) !== line) seen.push(line);
    }
    return seen;
  }

  it('drops the trajectory, then the previous output, then the tail of the feedback', () => {
    expect(leftOf('trajectory', 'ensemble')).toEqual([
      'trajectory previous feedback',
      'previous feedback',
      'feedback',
      '',
    ]);
    expect(leftOf('trajectory', 'rejection-first')).toEqual(['trajectory feedback', 'feedback', '']);
  });

  it.each(layouts)('drops the previous output, then the oldest reflection, then the next (%s)', (layout) => {
    expect(leftOf('lastAttemptAndReflexion', layout)).toEqual([
      'previous older newer feedback',
      'older newer feedback',
      'newer feedback',
      'feedback',
      '',
    ]);
  });

  it('drops the previous output, then artifacts from the last one', () => {
    expect(leftOf('sharedPool', 'ensemble')).toEqual([
      'previous outline figures feedback',
      'outline figures feedback',
      'outline feedback',
      'feedback',
      '',
    ]);
  });
});

describe('the stored observations', () => {
  it('are the first and the last five, each without its middle, however many there are', () => {
    expect(walk(1)).toEqual({ first: ['looked at page 1'], last: [], omitted: 0 });
    expect(walk(5)?.last).toEqual([]);
    expect(walk(6)).toMatchObject({ last: ['looked at page 6'], omitted: 0 });
    expect(walk(10)).toMatchObject({ last: [6, 7, 8, 9, 10].map((page) => `looked at page ${page}`), omitted: 0 });
    expect(walk(10_000)).toEqual({
      first: [1, 2, 3, 4, 5].map((page) => `looked at page ${page}`),
      last: [9996, 9997, 9998, 9999, 10_000].map((page) => `looked at page ${page}`),
      omitted: 9990,
    });
  });

  it('count the omitted characters', () => {
    const { first } = observed(undefined, `begin ${'x'.repeat(10_000)} end`);
    expect(first[0]).toMatch(/^begin x+ \[… 9543 characters left out …\] x+ end$/u);
  });

  it('are short and well-formed, for any observation', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), fc.integer({ min: 50, max: 600 }), (text, most) => {
        const short = elided(text, most);
        expect(short.length).toBeLessThanOrEqual(most);
        expect(isWellFormed(short)).toBe(isWellFormed(text));
        if (text.length <= most) expect(short).toBe(text);
      }),
    );
    const [first = ''] = observed(undefined, `.${'🙂'.repeat(LONGEST_OBSERVATION)}`).first;
    expect(isWellFormed(first)).toBe(true);
  });

  it('are cut to the last three for reflections', () => {
    expect(withReflections([], ['a'])).toEqual(['a']);
    expect(withReflections(['a', 'b'], ['c', 'd'])).toEqual(['b', 'c', 'd']);
  });
});

// --- internal ---

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
