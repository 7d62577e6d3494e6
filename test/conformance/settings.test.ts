import { describe, expect, it } from 'vitest';
import { definePipeline, phase, PipelineInvalidError, task, type Pipeline } from '../../src/index.ts';
import { fingerprint, type GatePlan, type PhasePlan } from '../../src/records.ts';
import { casesOf, runnable, type Case } from './case.ts';

interface GateCase extends Case {
  readonly review: {
    readonly by?: string | null;
    readonly maxRetries?: number;
    readonly maxPredecessorRetries?: number;
  };
  readonly gives?: Partial<Omit<GatePlan, 'reviewers'>> & { readonly reviewers?: readonly string[] };
  /** The codes of the problems. */
  readonly refused?: readonly string[];
}

interface PhaseCase extends Case {
  readonly phase: {
    readonly name: string;
    readonly tasks: string[] | null;
    readonly after?: (string | null)[] | null;
    readonly mode?: PhasePlan['mode'];
  };
  readonly gives?: Partial<Omit<PhasePlan, 'tasks'>> & { readonly tasks?: readonly string[] };
  readonly refused?: readonly string[];
  /** The list that is changed after the definition of the pipeline. */
  readonly changedLater?: 'tasks' | 'after';
}

interface PipelineCase extends Case {
  readonly phases: readonly string[];
  /** Tasks of the pipeline outside of phases. */
  readonly tasks?: readonly string[];
  readonly refused: readonly string[];
}

describe('conformance: gate', () => {
  it.each(runnable(casesOf('settings') as readonly GateCase[], 'gate'))('%s', (_, { review, gives, refused }) => {
    const given = review.by === undefined ? review : { ...review, by: review.by === null ? null : named(review.by) };
    const define = () => definePipeline({ name: 'p', phases: [phaseOf({ tasks: [named('t')], review: given })] });
    if (refused) {
      expect(codesOf(define)).toEqual(refused);
      return;
    }
    const gate = define().plan.phases[0]?.gate;
    const found = { ...gate, reviewers: gate?.reviewers.map((one) => one.name) };
    expect(found).toMatchObject(gives ?? {});
  });
});

describe('conformance: phase', () => {
  it.each(runnable(casesOf('settings') as readonly PhaseCase[], 'phase'))(
    '%s',
    (_, { phase: given, gives, refused, changedLater }) => {
      const tasks = given.tasks?.map(named) ?? null;
      const after = given.after && [...given.after];
      const subject = phaseOf({ ...given, tasks, after });
      const others = (given.after ?? []).flatMap((name) =>
        name === null ? [] : phaseOf({ name, tasks: [named(name)] }),
      );
      const define = () => definePipeline({ name: 'p', phases: [subject, ...others] });
      if (refused) {
        expect(codesOf(define)).toEqual(refused);
        return;
      }
      const pipeline = define();
      if (changedLater) {
        const before = structuredClone(pipeline.plan);
        if (changedLater === 'tasks') tasks?.push(named('late'));
        else after?.push('late');
        expect(pipeline.plan).toEqual(before);
        expect(fingerprint(pipeline.plan)).toBe(fingerprint(before));
        return;
      }
      const [plan] = pipeline.plan.phases;
      expect({ ...plan, tasks: plan?.tasks.map((one) => one.name) }).toMatchObject(gives ?? {});
    },
  );
});

describe('conformance: pipeline', () => {
  it.each(runnable(casesOf('settings') as readonly PipelineCase[], 'pipeline'))(
    '%s',
    (_, { phases, tasks, refused }) => {
      const made = phases.map((name) => phaseOf({ name, tasks: [named('t')] }));
      const beside = tasks && { tasks: tasks.map(named) };
      const define = () => {
        const options = { name: 'p', phases: made, ...beside };
        return definePipeline(options);
      };
      expect(codesOf(define)).toEqual(refused);
    },
  );
});

// --- internal ---

function named(name: string) {
  return task(name, { run: () => name });
}

/** Builds a phase from the options of a case, which the types may not allow. */
function phaseOf({ name = 'p', ...options }: { readonly name?: string; readonly [option: string]: unknown }) {
  return phase(name, options as unknown as Parameters<typeof phase>[1]);
}

function codesOf(define: () => Pipeline): readonly string[] {
  try {
    define();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(PipelineInvalidError);
    return (thrown as PipelineInvalidError).problems.map((problem) => problem.code);
  }
  return [];
}
