import { describe, expect, it } from 'vitest';
import {
  approve,
  definePipeline,
  phase,
  renderPrompt,
  retry,
  startRun,
  task,
  type RevisionStyle,
  type TaskContext,
} from '../../src/index.ts';
import { casesOf, runnable, type Case } from './case.ts';

interface AttemptSeen {
  readonly attempt: number;
  readonly feedback: string | null;
  readonly previousOutput: string | null;
}

interface RevisionCase extends Case {
  readonly description: string;
  /** The feedback of the gate after each attempt but the last. */
  readonly feedback: readonly string[];
  /** The output of the task in each attempt. */
  readonly outputs: readonly (string | null)[];
  /** The context of each attempt. */
  readonly attempts: readonly AttemptSeen[];
  /** The code of the error that refuses the feedback. */
  readonly refused?: string;
  /** The first line of a prompt for this attempt number, which no run reaches. */
  readonly heading?: string;
  readonly attempt?: number;
}

interface PromptCase extends Case {
  readonly description: string;
  readonly revision?: { readonly feedback: string; readonly attempt: number; readonly previousOutput?: string };
  readonly contains?: readonly string[];
  readonly lacks?: readonly string[];
  readonly inOrder?: readonly string[];
}

const style: RevisionStyle = { layout: 'ensemble', strategy: 'feedback', maxRevisionChars: 32_000 };

describe('conformance: revision', () => {
  it.each(runnable(casesOf('revisions') as readonly RevisionCase[], 'revision'))('%s', async (_, one) => {
    if (one.refused !== undefined) {
      expect(() => retry(one.feedback[0] as string)).toThrow(expect.objectContaining({ code: one.refused }));
    } else if (one.heading === undefined) {
      expect(await attemptsOf(one)).toEqual(one.attempts.map((seen) => ({ ...seen, description: one.description })));
    } else {
      const revision = { attempt: one.attempt ?? 0, feedback: one.feedback.join(), history: [] };
      expect(renderPrompt(one.description, revision, undefined, style).split('\n')[0]).toBe(one.heading);
    }
  });
});

describe('conformance: taskPrompt', () => {
  it.each(runnable(casesOf('revisions') as readonly PromptCase[], 'taskPrompt'))('%s', (_, one) => {
    const revision = one.revision && { ...one.revision, history: [] };
    const prompt = renderPrompt(one.description, revision, one.revision?.previousOutput, style);
    for (const part of one.contains ?? []) expect(prompt).toContain(part);
    for (const part of one.lacks ?? []) expect(prompt).not.toContain(part);
    const places = (one.inOrder ?? []).map((part) => prompt.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(prompt.endsWith(one.description)).toBe(true);
  });
});

// --- internal ---

/** Runs a phase whose gate asks for each change in turn. @returns The context of each attempt. */
async function attemptsOf({ description, feedback, outputs }: RevisionCase): Promise<readonly unknown[]> {
  const contexts: TaskContext[] = [];
  const work = task('work', {
    description,
    run: (context) => {
      contexts.push(context);
      return outputs[context.attempt];
    },
  });
  const review = ({ attempt }: { readonly attempt: number }) => {
    const change = feedback[attempt];
    return change === undefined ? approve() : retry(change);
  };
  const pipeline = definePipeline({ name: 'p', phases: [phase('a', { tasks: [work], review })] });
  const before = { plan: structuredClone(pipeline.plan), options: { ...work.options } };
  expect((await startRun(pipeline).result).status).toBe('completed');
  expect({ plan: pipeline.plan, options: work.options }).toEqual(before);
  // The contexts are read after the run, which shows that later feedback does not change the context of an earlier
  // attempt.
  return contexts.map((context) => ({
    attempt: context.attempt,
    description: context.description,
    feedback: context.revision?.feedback ?? null,
    previousOutput: context.revision?.previousOutput ?? null,
  }));
}
