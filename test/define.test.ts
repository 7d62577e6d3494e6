import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  approve,
  definePipeline,
  phase,
  PhasegateError,
  PipelineInvalidError,
  task,
  type Problem,
  type ProblemCode,
} from '../src/index.ts';

/** Options as written without a type checker. */
type Loose = Readonly<Record<string, unknown>>;

describe('definePipeline() refuses a phase whose review is a function', () => {
  const review = () => approve();

  it.each<[ProblemCode, string, Loose, Loose]>([
    ['NAME_RESERVED', 'the name of its only task', { tasks: [work('valueOf')] }, {}],
    ['PREDECESSOR_UNKNOWN', 'a subscription', { subscribe: ['b/x'] }, {}],
    ['REFLECT_MISSING', 'a strategy of the pipeline', {}, { policy: { strategy: 'reflexion' } }],
    ['PREDECESSOR_UNKNOWN', 'a predecessor', { after: ['b'] }, {}],
    ['PREDECESSOR_UNKNOWN', 'another phase of the same name', { after: [step('first')] }, {}],
    ['NOT_UPSTREAM', 'a predecessor of its only task', { tasks: [work('t', { after: ['u'] })] }, {}],
    ['CYCLE', 'itself as a predecessor', { after: ['a'] }, {}],
  ])('as %s for %s', (code, _, options, rest) => {
    const phases = [step('first', { review: { by: review, strategy: 'feedback' } }), step('a', { review, ...options })];
    expect(codesOf({ name: 'p', phases, ...rest })).toEqual([code]);
  });
});

describe('definePipeline() refuses names', () => {
  it('that are empty', () => {
    expect(refusal({ name: '', phases: [step('  ')] })).toMatchInlineSnapshot(`
      "Cannot define pipeline "" as it has 2 problems:
        NAME_INVALID in phase "  ": the name is empty. Give it a name.
        NAME_INVALID in pipeline "": the name is empty. Give it a name.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with control characters, or spaces at their ends', () => {
    expect(refusalOf(step(' a'), step('b\n'), step('c\u0000d'))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 3 problems:
        NAME_INVALID in phase " a": the name has control characters, or spaces at its ends. Use letters, digits, dashes and inner spaces.
        NAME_INVALID in phase "b\\n": the name has control characters, or spaces at its ends. Use letters, digits, dashes and inner spaces.
        NAME_INVALID in phase "c\\u0000d": the name has control characters, or spaces at its ends. Use letters, digits, dashes and inner spaces.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that the language or a run reserves', () => {
    expect(refusalOf(step('__proto__'), step('constructor'), step('costUsd'))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 3 problems:
        NAME_RESERVED in phase "__proto__": the name is reserved. Pick one that does not start with "__" and is neither a built-in property of objects nor a limit of a run.
        NAME_RESERVED in phase "constructor": the name is reserved. Pick one that does not start with "__" and is neither a built-in property of objects nor a limit of a run.
        NAME_RESERVED in phase "costUsd": the name is reserved. Pick one that does not start with "__" and is neither a built-in property of objects nor a limit of a run.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it.each(['__proto__', '__x', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'])('%s, in any place', (name) => {
    const tasks = [work(name)];
    const review = { by: work(name), checks: [{ name, run: () => true }] };
    expect(codesOf({ name, phases: [step(name, { tasks, review })] })).toEqual(Array(5).fill('NAME_RESERVED'));
    expect(Object.prototype).not.toHaveProperty('tasks');
  });

  it('that are used more than once', () => {
    const review = { by: [work('r'), work('r')], checks: [check('c'), check('c')] };
    expect(refusalOf(step('a'), step('b', { tasks: [work('t'), work('t')], review }), step('a'), step('a')))
      .toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 4 problems:
        NAME_DUPLICATE in the pipeline: the phase name "a" is used 3 times. Give each a name of its own.
        NAME_DUPLICATE in phase "b": the task name "t" is used twice. Give each a name of its own.
        NAME_DUPLICATE in phase "b", review: the reviewer name "r" is used twice. Give each a name of its own.
        NAME_DUPLICATE in phase "b", review: the check name "c" is used twice. Give each a name of its own.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('of one phase that is listed twice', () => {
    const one = step('a');
    expect(codesOf({ name: 'p', phases: [one, one] })).toEqual(['NAME_DUPLICATE']);
  });

  it('but not names that are only unusual', () => {
    const odd = ['a b', 'a.b', 'a/b', '#1', '0', 'é🙂', 'then', 'task "x"', 'phase', 'x'.repeat(500)];
    expect(codesOf({ name: 'p', phases: odd.map((name) => step(name, { tasks: [work(name)] })) })).toEqual([]);
  });
});

describe('definePipeline() refuses an order of phases', () => {
  it('with unknown predecessors', () => {
    expect(refusalOf(step('research'), step('writing', { after: ['reserch', 'plan'] }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 2 problems:
        PREDECESSOR_UNKNOWN in phase "writing": it comes after "reserch", which is not a phase of this pipeline. Add that phase, or correct the name; the phases are "research", "writing".
        PREDECESSOR_UNKNOWN in phase "writing": it comes after "plan", which is not a phase of this pipeline. Add that phase, or correct the name; the phases are "research", "writing".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with a predecessor that is not in the pipeline', () => {
    expect(refusalOf(step('writing', { after: [step('research')] }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        PREDECESSOR_UNKNOWN in phase "writing": it comes after "research", which is not a phase of this pipeline. Add that phase, or correct the name; the only phase is "writing".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with a predecessor of the same name as one in the pipeline', () => {
    expect(refusalOf(step('research'), step('writing', { after: [step('research')] }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        PREDECESSOR_UNKNOWN in phase "writing": it comes after another phase object named "research" than the one in this pipeline. Use the same object in both places.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with a phase that comes after itself', () => {
    expect(refusalOf(step('research', { after: ['research'] }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        CYCLE in the pipeline: there is a cycle: research → research. Drop "research" from its own after list.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with a cycle, shown as a path', () => {
    //  research ──▶ writing ──▶ edit ──▶ print
    //      ▲────────────────────┘
    expect(
      refusalOf(
        step('print', { after: ['edit'] }),
        step('research', { after: ['edit'] }),
        step('writing', { after: ['research'] }),
        step('edit', { after: ['writing'] }),
      ),
    ).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        CYCLE in the pipeline: there is a cycle: edit → research → writing → edit. Drop one dependency on that path, such as "writing" from the after list of "edit".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with several cycles, each shown', () => {
    const ring = (a: string, b: string) => [step(a, { after: [b] }), step(b, { after: [a] })];
    expect(problemsOf({ name: 'p', phases: [...ring('a', 'b'), ...ring('c', 'd')] }).map((one) => one.message)).toEqual(
      ['there is a cycle: a → b → a', 'there is a cycle: c → d → c'],
    );
  });

  it('with a cycle of 10 000 phases, shown in short', () => {
    const phases = Array.from({ length: 10_000 }, (_, index) =>
      step(`p${index}`, { after: [`p${(index + 1) % 10_000}`] }),
    );
    expect(refusalOf(...phases)).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        CYCLE in the pipeline: there is a cycle: p0 → p9999 → p9998 → p9997 → p9996 → (9991 more) → p4 → p3 → p2 → p1 → p0. Drop one dependency on that path, such as "p1" from the after list of "p0".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('but not predecessors in any order, listed twice, or undefined', () => {
    expect(
      codesOf({ name: 'p', phases: [step('b', { after: ['a', 'a', null, undefined] }), step('a', { after: null })] }),
    ).toEqual([]);
  });
});

describe('definePipeline() refuses tasks', () => {
  it('that are missing', () => {
    expect(refusal({ name: 'p', phases: [] })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 1 problem:
        TASKS_EMPTY in the pipeline: it has no phases. Add at least one phase.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
    expect(refusalOf(step('a', { tasks: [] }), step('b', { tasks: undefined }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 2 problems:
        TASKS_EMPTY in phase "a": it has no tasks. Give it at least one task.
        TASKS_EMPTY in phase "b": it has no tasks. Give it at least one task.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that come after a task of another phase', () => {
    const draft = work('draft', { after: ['gather'] });
    expect(
      refusalOf(
        step('research', { tasks: [work('gather')] }),
        step('writing', { after: ['research'], tasks: [draft] }),
      ),
    ).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        NOT_UPSTREAM in phase "writing", task "draft": it comes after "gather", which is not a task of this phase. Name a task of the same phase; outputs of earlier phases are in \`inputs\`.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that come after each other', () => {
    expect(refusalOf(step('a', { tasks: [work('x', { after: ['y'] }), work('y', { after: ['x'] })] })))
      .toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        CYCLE in phase "a": there is a cycle: x → y → x. Drop one dependency on that path, such as "y" from the after list of "x".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that come after a later one, in sequence', () => {
    const tasks = [work('x', { after: ['y'] }), work('y')];
    expect(refusalOf(step('a', { mode: 'sequential', tasks }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        NOT_UPSTREAM in phase "a", task "x": it comes after "y", which runs later in a sequential phase. Move "y" up, or use mode "dependencies".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
    expect(codesOf({ name: 'p', phases: [step('a', { tasks })] })).toEqual([]);
  });
});

describe('definePipeline() refuses limits', () => {
  it('of a run that are negative, fractional or no numbers', () => {
    const limits = {
      corrections: -1,
      perPair: 1.5,
      attemptsPerPhase: 0,
      costUsd: NaN,
      tokens: Infinity,
      durationMs: '1s',
    };
    expect(refusal({ name: 'p', phases: [step('a')], limits })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 6 problems:
        OPTION_INVALID in the pipeline: "limits.corrections" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in the pipeline: "limits.perPair" is 1.5; expected a whole number. Correct it.
        OPTION_INVALID in the pipeline: "limits.attemptsPerPhase" is 0; expected a number from 1. Correct it.
        OPTION_INVALID in the pipeline: "limits.costUsd" is NaN; expected a finite number. Correct it.
        OPTION_INVALID in the pipeline: "limits.tokens" is Infinity; expected a finite number. Correct it.
        OPTION_INVALID in the pipeline: "limits.durationMs" is "1s"; expected a finite number. Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('of a gate that are negative, fractional or no numbers', () => {
    const review = { by: approve, maxRetries: -1, maxPredecessorRetries: 1.5, maxReviewErrors: '3', minConfidence: 2 };
    expect(refusalOf(step('a', { review }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 4 problems:
        OPTION_INVALID in phase "a": "review.maxRetries" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "a": "review.maxPredecessorRetries" is 1.5; expected a whole number or "unlimited". Correct it.
        OPTION_INVALID in phase "a": "review.maxReviewErrors" is "3"; expected a finite number or "unlimited". Correct it.
        OPTION_INVALID in phase "a": "review.minConfidence" is 2; expected a number up to 1. Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('of a policy', () => {
    const policy = { maxRetries: -1, onExhausted: 'explode', limits: { perPair: -1 }, reviewBackoff: { factor: 0 } };
    expect(refusal({ name: 'p', phases: [step('a')], policy })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 4 problems:
        OPTION_INVALID in the pipeline: "policy.maxRetries" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in the pipeline: "policy.onExhausted" is "explode"; expected "accept", "acceptBest", "escalate" or "reject". Correct it.
        OPTION_INVALID in the pipeline: "policy.reviewBackoff.factor" is 0; expected a number from 1. Correct it.
        OPTION_INVALID in the pipeline: "policy.limits.perPair" is -1; expected a number from 0. Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it.each([0, -1, 1.5, '3', NaN, null])('concurrency %s', (concurrency) => {
    expect(problemsOf({ name: 'p', phases: [step('a')], concurrency }).map(textOf)).toEqual([
      `the pipeline: "concurrency" is ${JSON.stringify(concurrency) === 'null' ? String(concurrency) : JSON.stringify(concurrency)}; expected a whole number from 1, or "unlimited"`,
    ]);
  });

  it('but not zero, which means never', () => {
    const review = { by: approve, maxRetries: 0, maxPredecessorRetries: 0, maxReviewErrors: 0, minConfidence: 0 };
    const limits = { corrections: 0, perPair: 0, costUsd: 0, tokens: 0, durationMs: 0 };
    expect(codesOf({ name: 'p', phases: [step('a', { review })], limits })).toEqual([]);
  });
});

describe('definePipeline() refuses gates', () => {
  it('that send back phases which are not upstream', () => {
    //  research ──▶ writing ──▶ edit     notes
    expect(
      refusalOf(
        step('research', { review: { by: approve, rewindTo: ['research'] } }),
        step('writing', { after: ['research'], review: { by: approve, rewindTo: ['research', 'edit', 'reserch'] } }),
        step('edit', { after: ['writing'], review: { by: approve, rewindTo: ['research', 'notes'] } }),
        step('notes'),
      ),
    ).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 4 problems:
        REWIND_IMPOSSIBLE in phase "research", review: it may send back "research", which is not upstream. This phase has no predecessors to send back.
        REWIND_IMPOSSIBLE in phase "writing", review: it may send back "edit", which is not upstream. Upstream is "research".
        REWIND_IMPOSSIBLE in phase "writing", review: it may send back "reserch", which is not upstream. Upstream is "research".
        REWIND_IMPOSSIBLE in phase "edit", review: it may send back "notes", which is not upstream. Upstream are "writing", "research".
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('without a reviewer', () => {
    expect(refusalOf(step('a', { review: {} }), step('b', { review: { by: [] } }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 2 problems:
        REVIEW_EMPTY in phase "a", review: it has neither reviewers nor checks. Add a reviewer in \`by\` or a check in \`checks\`, or leave the review out.
        REVIEW_EMPTY in phase "b", review: it has neither reviewers nor checks. Add a reviewer in \`by\` or a check in \`checks\`, or leave the review out.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with a quorum that cannot be reached', () => {
    expect(
      refusalOf(
        step('a', { review: { by: approve, quorum: 2 } }),
        step('b', { review: { by: [work('r'), work('s')], quorum: 3 } }),
        step('c', { review: { checks: [check('c')], quorum: 1 } }),
        step('d', { review: { by: approve, quorum: 0 } }),
      ),
    ).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 4 problems:
        OPTION_INVALID in phase "d": "review.quorum" is 0; expected a number from 1. Correct it.
        QUORUM_IMPOSSIBLE in phase "a", review: its quorum is 2 but it has 1 reviewer. Lower the quorum or add reviewers.
        QUORUM_IMPOSSIBLE in phase "b", review: its quorum is 3 but it has 2 reviewers. Lower the quorum or add reviewers.
        QUORUM_IMPOSSIBLE in phase "c", review: its quorum is 1 but it has no reviewers. Lower the quorum or add reviewers.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('with reviewers that have predecessors', () => {
    expect(refusalOf(step('a', { review: work('judge', { after: ['t'] }) }))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        NOT_UPSTREAM in phase "a", review, reviewer "judge": it comes after "t", but reviewers are asked at the same time, when all tasks are done. Leave \`after\` out; the outputs of the tasks are in \`outputs\`.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that are not gates', () => {
    const reviews = [
      'APPROVE',
      42,
      step('b'),
      { by: null },
      { by: [approve, 42] },
      { checks: [approve, { name: 'c' }] },
    ];
    expect(refusalOf(...reviews.map((review, index) => step(`p${index}`, { review })))).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 7 problems:
        OPTION_INVALID in phase "p0": "review" is "APPROVE"; expected a function, a task, or review options. Correct it.
        OPTION_INVALID in phase "p1": "review" is 42; expected a function, a task, or review options. Correct it.
        OPTION_INVALID in phase "p2": "review" is a phase; expected a function, a task, or review options. Correct it.
        OPTION_INVALID in phase "p3": "review.by" is null; expected a reviewer or a list of reviewers. Correct it.
        OPTION_INVALID in phase "p4": "review.by[1]" is 42; expected a function or a task. Correct it.
        OPTION_INVALID in phase "p5": "review.checks[0]" is a function; expected an object. Correct it.
        OPTION_INVALID in phase "p5": "review.checks[1].run" is missing; expected a function. Add it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });
});

describe('definePipeline() refuses options', () => {
  it('that are unknown', () => {
    const tasks = [work('t', { retries: 3, retry: { atempts: 2 } })];
    const review = { by: approve, maxRetry: 1 };
    expect(refusal({ name: 'p', phases: [step('a', { tasks, revew: approve }), step('b', { review })], limit: {} }))
      .toMatchInlineSnapshot(`
        "Cannot define pipeline "p" as it has 5 problems:
          OPTION_INVALID in phase "a", task "t": there is no option "retry.atempts". Remove it, or correct its name; there are attempts, backoff, jitter, retryable.
          OPTION_INVALID in phase "a", task "t": there is no option "retries". Remove it, or correct its name; there are run, description, after, output, retry, timeout, estimate, unreported, version, pool, pipeline, input, outcome.
          OPTION_INVALID in phase "a": there is no option "revew". Remove it, or correct its name; there are tasks, after, mode, review, input, subscribe, version.
          OPTION_INVALID in phase "b": there is no option "review.maxRetry". Remove it, or correct its name; there are maxRetries, maxPredecessorRetries, loopAfter, onExhausted, onUnrecognised, onInvalidTarget, maxReviewErrors, onReviewUnavailable, reviewBackoff, minConfidence, approval, rewindTo, invalidate, regate, layout, strategy, maxRevisionChars, maxPromptGrowth, inbox, by, quorum, checks, reflect.
          OPTION_INVALID in the pipeline: there is no option "limit". Remove it, or correct its name; there are name, phases, input, policy, limits, concurrency, version.
        Docs: docs/errors.md#PIPELINE_INVALID"
      `);
  });

  it('at the wrong place, and names the right one', () => {
    const gate = { by: approve, onLimit: 'escalate', concurrency: 2, costUsd: 1 };
    const steps = [step('a', { maxRetries: 1, onFailure: 'halt', review: gate })];
    const rest = { onLimit: 'escalate', tokens: 5, by: approve, after: [], policy: { checks: [], concurrency: 1 } };
    expect(refusal({ name: 'p', phases: steps, ...rest })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 11 problems:
        OPTION_INVALID in phase "a": there is no option "review.onLimit". It is an option of \`policy\`: put it there.
        OPTION_INVALID in phase "a": there is no option "review.concurrency". It is an option of the pipeline: put it there.
        OPTION_INVALID in phase "a": there is no option "review.costUsd". It is an option of \`limits\`: put it there.
        OPTION_INVALID in phase "a": there is no option "maxRetries". It is an option of \`review\`: put it there.
        OPTION_INVALID in phase "a": there is no option "onFailure". It is an option of \`policy\`: put it there.
        OPTION_INVALID in the pipeline: there is no option "policy.checks". It is an option of \`review\`: put it there.
        OPTION_INVALID in the pipeline: there is no option "policy.concurrency". It is an option of the pipeline: put it there.
        OPTION_INVALID in the pipeline: there is no option "onLimit". It is an option of \`policy\`: put it there.
        OPTION_INVALID in the pipeline: there is no option "tokens". It is an option of \`limits\`: put it there.
        OPTION_INVALID in the pipeline: there is no option "by". It is an option of \`review\`: put it there.
        OPTION_INVALID in the pipeline: there is no option "after". It is an option of phases: put it there.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('of the wrong kind', () => {
    const bad = work('t', {
      run: 'echo',
      description: 42,
      after: 'x',
      output: { title: 'string' },
      retry: { attempts: 0, backoff: { first: -1 }, retryable: true },
      timeout: -1,
      estimate: { costUsd: -1, tokens: 'many' },
    });
    expect(
      refusal({
        name: 'p',
        phases: [step('a', { tasks: [bad], mode: 'zigzag', after: 'b', input: {} })],
        input: 'text',
      }),
    ).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 14 problems:
        OPTION_INVALID in phase "a", task "t": "run" is "echo"; expected a function. Correct it.
        OPTION_INVALID in phase "a", task "t": "description" is 42; expected a string. Correct it.
        OPTION_INVALID in phase "a", task "t": "after" is "x"; expected a list of names or objects. Correct it.
        OPTION_INVALID in phase "a", task "t": "output" is an object; expected a Standard Schema, such as one made with zod. Correct it.
        OPTION_INVALID in phase "a", task "t": "retry.attempts" is 0; expected a whole number from 1, or "unlimited". Correct it.
        OPTION_INVALID in phase "a", task "t": "retry.backoff.first" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "a", task "t": "retry.retryable" is true; expected a function. Correct it.
        OPTION_INVALID in phase "a", task "t": "timeout" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "a", task "t": "estimate.costUsd" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "a", task "t": "estimate.tokens" is "many"; expected a finite number. Correct it.
        OPTION_INVALID in phase "a": "after" is "b"; expected a list of names or objects. Correct it.
        OPTION_INVALID in phase "a": "mode" is "zigzag"; expected "dependencies", "sequential" or "parallel". Correct it.
        OPTION_INVALID in phase "a": "input" is an object; expected a Standard Schema, such as one made with zod. Correct it.
        OPTION_INVALID in the pipeline: "input" is "text"; expected a Standard Schema, such as one made with zod. Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that are missing', () => {
    const loose = { kind: 'phase', name: 'a' };
    expect(refusal({ name: 'p', phases: [loose, step('b', { tasks: [{ kind: 'task', name: 't' }] })] }))
      .toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 2 problems:
        OPTION_INVALID in phase "a": its options are undefined; expected an object. Make phases with phase(name, options) and tasks with task(name, options).
        OPTION_INVALID in phase "b", task "t": its options are undefined; expected an object. Make phases with phase(name, options) and tasks with task(name, options).
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that were not passed through phase() or task()', () => {
    const [bare, empty] = [undefined, null].map((options) =>
      phase('a', options as unknown as Parameters<typeof phase>[1]),
    );
    expect(codesOf({ name: 'p', phases: [bare] })).toEqual(['TASKS_EMPTY']);
    expect(codesOf({ name: 'p', phases: [empty] })).toEqual(['TASKS_EMPTY']);
    const lone = task('t', undefined as unknown as Parameters<typeof task>[1]);
    expect(codesOf({ name: 'p', phases: [step('a', { tasks: [lone] })] })).toEqual(['OPTION_INVALID']);
  });

  it('that are phases and tasks in each other’s place', () => {
    expect(refusal({ name: 'p', phases: [work('a'), step('b', { tasks: [step('c')] })] })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 2 problems:
        OPTION_INVALID in phase "a": it is a task; expected a phase made by phase(). Make phases with phase(name, options) and tasks with task(name, options).
        OPTION_INVALID in phase "b", task "c": it is a phase; expected a task made by task(). Make phases with phase(name, options) and tasks with task(name, options).
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('that create tasks after they are read', () => {
    const late = phase('a', { tasks: async () => [work('t')] } as unknown as Parameters<typeof phase>[1]);
    expect(refusalOf(late)).toMatchInlineSnapshot(`
      "Cannot define pipeline "article" as it has 1 problem:
        OPTION_INVALID in phase "a": "tasks" is an object; expected a list of tasks. Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });
});

describe('definePipeline() refuses values that are not definitions', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [42, '42'],
    ['pipeline', '"pipeline"'],
    [[], 'a list'],
    [() => undefined, 'a function'],
    [Symbol('x'), 'Symbol(x)'],
  ])('%s', (definition, found) => {
    expect(problemsOf(definition)).toEqual([
      {
        code: 'OPTION_INVALID',
        where: 'the pipeline',
        message: `the definition is ${found}; expected an object`,
        hint: 'Pass an object with `name` and `phases`.',
        path: [],
      },
    ]);
  });

  it('an empty object', () => {
    expect(refusal({})).toMatchInlineSnapshot(`
      "Cannot define the pipeline as it has 2 problems:
        OPTION_INVALID in the pipeline: "name" is missing; expected a string. Add it.
        OPTION_INVALID in the pipeline: "phases" is missing; expected a list of phases. Add it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it.each([null, 42, 'x', { a: step('a') }, new Map(), new Set([step('a')])])(
    'phases that are not a list: %s',
    (phases) => {
      expect(codesOf({ name: 'p', phases })).toEqual(['OPTION_INVALID']);
    },
  );

  it('phases of any other type', () => {
    const ring: Record<string, unknown> = {};
    ring['self'] = ring;
    ring['phases'] = [ring];
    expect(problemsOf({ name: 'p', phases: [null, undefined, 42, 'a', [], {}, ring, () => 1] }).map(textOf)).toEqual([
      'phase number 1: it is null; expected an object',
      'phase number 2: it is undefined; expected an object',
      'phase number 3: it is 42; expected an object',
      'phase number 4: it is "a"; expected an object',
      'phase number 5: it is a list; expected an object',
      'phase number 6: it is an object; expected a phase made by phase()',
      'phase number 7: it is an object; expected a phase made by phase()',
      'phase number 8: it is a function; expected an object',
    ]);
  });

  it('names that are not strings', () => {
    const names: readonly unknown[] = [7, null, {}, Object.create(null), Symbol('x'), 7n, true, ['a']];
    for (const name of names) expect(codesOf({ name, phases: [step('a')] })).toEqual(['OPTION_INVALID']);
    expect(codesOf({ name: 'p', phases: names.map((name) => ({ ...step('a'), name })) })).toEqual(
      names.map(() => 'OPTION_INVALID'),
    );
  });

  it('an object that throws when it is read', () => {
    const cruel = {
      kind: 'phase',
      name: 'a',
      get options(): never {
        throw new Error('keep out');
      },
    };
    expect(refusal({ name: 'p', phases: [cruel] })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 1 problem:
        OPTION_INVALID in the pipeline: the definition throws when it is read: keep out. Pass plain objects and lists.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('objects that contain themselves, but not shared ones', () => {
    const ring: Record<string, unknown> = { by: approve };
    ring['self'] = ring;
    expect(codesOf({ name: 'p', phases: [step('a', { review: ring })] })).toEqual(['OPTION_INVALID']);
  });
});

describe('definePipeline() lists every problem at once', () => {
  const draft = work('draft', { after: ['outline'], timeout: -1 });
  const definition = {
    name: ' article ',
    phases: [
      step('research', { after: ['editing'], review: { by: approve, maxRetries: -1 } }),
      step('writing', { after: ['research', 'resarch'], tasks: [work('sum', { after: ['total'] })], mode: 'zigzag' }),
      step('editing', { after: ['writing'], tasks: [draft], review: { by: [] } }),
      step('editing', { tasks: [] }),
    ],
    limits: { corrections: -1 },
    retries: 3,
  };

  it('those of options as well as those of structure', () => {
    expect(refusal(definition)).toMatchInlineSnapshot(`
      "Cannot define pipeline " article " as it has 12 problems:
        OPTION_INVALID in phase "research": "review.maxRetries" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "writing": "mode" is "zigzag"; expected "dependencies", "sequential" or "parallel". Correct it.
        OPTION_INVALID in phase "editing", task "draft": "timeout" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in the pipeline: "limits.corrections" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in the pipeline: there is no option "retries". Remove it, or correct its name; there are name, phases, input, policy, limits, concurrency, version.
        NAME_DUPLICATE in the pipeline: the phase name "editing" is used twice. Give each a name of its own.
        NAME_INVALID in pipeline " article ": the name has control characters, or spaces at its ends. Use letters, digits, dashes and inner spaces.
        PREDECESSOR_UNKNOWN in phase "writing": it comes after "resarch", which is not a phase of this pipeline. Add that phase, or correct the name; the phases are "research", "writing", "editing".
        NOT_UPSTREAM in phase "writing", task "sum": it comes after "total", which is not a task of this phase. Name a task of the same phase; outputs of earlier phases are in \`inputs\`.
        NOT_UPSTREAM in phase "editing", task "draft": it comes after "outline", which is not a task of this phase. Name a task of the same phase; outputs of earlier phases are in \`inputs\`.
        TASKS_EMPTY in phase "editing": it has no tasks. Give it at least one task.
        REVIEW_EMPTY in phase "editing", review: it has neither reviewers nor checks. Add a reviewer in \`by\` or a check in \`checks\`, or leave the review out.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
  });

  it('as data, too', () => {
    const error = errorOf(definition);
    expect(error).toBeInstanceOf(PhasegateError);
    expect(error).toMatchObject({ name: 'PipelineInvalidError', code: 'PIPELINE_INVALID' });
    for (const { code, where, message, hint } of error?.problems ?? []) {
      expect(error?.message).toContain(`\n  ${code} in ${where}: ${message}. ${hint}\n`);
    }
    expect(error?.message).toMatch(/\nDocs: docs\/errors\.md#PIPELINE_INVALID$/u);
  });

  it('the first hundred in the message, and all of them as data', () => {
    const phases = Array.from({ length: 300 }, (_, index) => step(`p${index}`, { tasks: [] }));
    const error = errorOf({ name: 'p', phases });
    expect(error?.problems).toHaveLength(300);
    expect(error?.message.split('\n')).toHaveLength(103);
    expect(error?.message).toContain('has 300 problems:');
    expect(error?.message).toContain('\n  and 200 more, in `problems`\n');
  });

  it('with the number of the names that a hint leaves out', () => {
    const phases = Array.from({ length: 15 }, (_, index) => step(`p${index}`, index === 14 ? { after: ['q'] } : {}));
    const error = errorOf({ name: 'p', phases });
    expect(error?.problems[0]?.hint).toMatch(/the phases are "p0", .*, "p11", and 3 more\.$/u);
  });

  it('without follow-up problems of parts that cannot be read', () => {
    const research = step('research', { tasks: [42, null, work('x', { run: 1 }), work('y', { after: ['x'] })] });
    const phases = [research, step('writing', { after: [research], review: { by: approve, rewindTo: [research] } })];
    expect(problemsOf({ name: 'p', phases }).map(textOf)).toEqual([
      'phase "research", task number 1: it is 42; expected an object',
      'phase "research", task number 2: it is null; expected an object',
      'phase "research", task "x": "run" is 1; expected a function',
    ]);
    expect(codesOf({ name: 'p', phases: [step('a', { tasks: [42, null] })] })).toHaveLength(2);
    expect(codesOf({ name: 'p', phases: [step('a', { tasks: 42 })] })).toHaveLength(1);
    expect(codesOf({ name: 'p', phases: [step('a', { tasks: 0 })] })).toHaveLength(1);
  });

  it('and runs no task before', () => {
    let ran = false;
    const eager = work('t', { run: () => (ran = true), timeout: -1 });
    expect(codesOf({ name: 'p', phases: [step('a', { tasks: [eager] })] })).toEqual(['OPTION_INVALID']);
    expect(ran).toBe(false);
  });
});

describe('definePipeline() locates a problem', () => {
  it.each<readonly [string, unknown, string]>([
    [
      'an option',
      { name: 'p', phases: [step('a', { tasks: [work('t'), work('u', { timeout: -1 })] })] },
      'tasks.1.timeout',
    ],
    ['an unknown option', { name: 'p', phases: [step('a', { tasks: [work('t')], rewiev: 1 })] }, 'rewiev'],
    ['no phases', { name: 'p', phases: [] }, ''],
    ['no tasks', { name: 'p', phases: [step('a', { tasks: [] })] }, 'tasks'],
    ['a name', { name: ' p', phases: [step('a')] }, 'name'],
    ['the name of a task', { name: 'p', phases: [step('a', { tasks: [work('t'), work(' ')] })] }, 'tasks.1.name'],
    ['the second of two', { name: 'p', phases: [step('b'), step('a'), step('a')] }, 'phases.2.name'],
    ['a reviewer', { name: 'p', phases: [reviewed({ by: [work('x'), work('x')] })] }, 'review.by.1.name'],
    [
      'an ordered reviewer',
      { name: 'p', phases: [reviewed({ by: work('x', { after: ['t'] }) })] },
      'review.by.0.after',
    ],
    ['a check', { name: 'p', phases: [reviewed({ checks: [{ name: '', run: () => true }] })] }, 'review.checks.0.name'],
    ['a quorum', { name: 'p', phases: [reviewed({ by: () => 'APPROVE', quorum: 2 })] }, 'review.quorum'],
    ['an empty review', { name: 'p', phases: [reviewed({})] }, 'review'],
    ['a target', { name: 'p', phases: [reviewed({ by: () => 'APPROVE', rewindTo: ['b'] })] }, 'review.rewindTo.0'],
    ['a predecessor', { name: 'p', phases: [step('b'), step('a', { after: ['b', 'b', 'c'] })] }, 'phases.1.after.2'],
    ['another object', { name: 'p', phases: [step('b'), step('a', { after: [step('b')] })] }, 'phases.1.after.0'],
    ['a cycle', { name: 'p', phases: [step('a', { after: ['b'] }), step('b', { after: ['a'] })] }, 'phases.0.after.0'],
    ['a cycle of tasks', tasked([work('t'), work('u', { after: ['t', 'u'] })]), 'tasks.1.after.1'],
    ['a task elsewhere', tasked([work('t', { after: ['x'] })]), 'tasks.0.after.0'],
    ['a later task', tasked([work('t', { after: ['u'] }), work('u')], 'sequential'), 'tasks.0.after.0'],
  ])('%s', (_, definition, path) => {
    const inPhase = path === '' ? 'phases' : /^(?:name|phases)/u.test(path) ? path : `phases.0.${path}`;
    expect(problemsOf(definition).map((problem) => problem.path?.join('.'))).toEqual([inPhase]);
  });

  function reviewed(review: Loose): unknown {
    return step('a', { tasks: [work('t')], review });
  }

  function tasked(tasks: readonly unknown[], mode?: string): unknown {
    return { name: 'p', phases: [step('a', { tasks, mode })] };
  }
});

describe('definePipeline() makes a plan', () => {
  it('that is frozen, and leaves its arguments unchanged', () => {
    const backoff = { first: 5 };
    const estimate = { tokens: 1 };
    const limits = { corrections: 3 };
    const policy = { reviewBackoff: { first: 7 }, limits: { tokens: 9 } };
    const full = phase('full', {
      after: ['bare'],
      mode: 'sequential',
      tasks: [task('t', { run: () => 1, retry: { backoff }, estimate }), task('u', { run: () => 2 })],
      review: {
        by: [() => 'APPROVE', task('judge', { run: () => 'APPROVE' })],
        checks: [{ name: 'c', run: () => true }],
      },
    });
    const pipeline = definePipeline({ name: 'p', phases: [step('bare'), full, reviewed], policy, limits });

    expect(parts(pipeline.plan).length).toBeGreaterThan(20);
    expect(parts(pipeline.plan).filter((part) => !Object.isFrozen(part))).toEqual([]);
    expect(parts([backoff, estimate, limits, policy, full]).filter((part) => Object.isFrozen(part))).toEqual([]);
  });

  const reviewed = phase('reviewed', { tasks: [task('t', { run: () => 1 })], review: () => 'APPROVE' });

  /** Returns a value and all objects in it. */
  function parts(value: unknown): readonly object[] {
    return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(parts)] : [];
  }
});

describe('definePipeline() accepts', () => {
  it('phases from a function that receives phase()', () => {
    const make = (given: typeof phase) => {
      const a = given('a', { tasks: [work('one')] });
      return [a, given('b', { after: [a], tasks: [work('two')] })];
    };
    expect(definePipeline({ name: 'p', phases: make }).plan).toEqual(
      definePipeline({ name: 'p', phases: make(phase) }).plan,
    );
    expect(refusal({ name: 'p', phases: () => 7 })).toMatchInlineSnapshot(`
      "Cannot define pipeline "p" as it has 1 problem:
        OPTION_INVALID in the pipeline: "phases" is 7; expected a list of phases. Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID"
    `);
    expect(codesOf({ name: 'p', phases: () => [step('a'), step('a')] })).toEqual(['NAME_DUPLICATE']);
  });

  it('every option in its right place', () => {
    const schema = z.object({ topic: z.string() });
    const gather = work('gather', {
      description: 'List findings.',
      output: z.string(),
      retry: { attempts: 3, backoff: { first: 10, factor: 2, max: 100 }, retryable: () => true },
      timeout: 0,
      estimate: { costUsd: 0.1, tokens: 100 },
    });
    const research = step('research', { tasks: [gather, work('sum', { after: [gather] })], mode: 'parallel' });
    const review = {
      by: [approve, work('judge')],
      quorum: 1,
      checks: [check('length')],
      rewindTo: [research],
      maxRetries: 'unlimited',
      onExhausted: 'acceptBest',
    };
    const writing = step('writing', { after: [research], review, input: schema });
    const pipeline = definePipeline({
      name: 'article',
      phases: [research, writing],
      input: schema,
      policy: { rewindTo: 'ancestors', limits: { corrections: 5 } },
      limits: { tokens: 1000 },
      concurrency: 'unlimited',
    });
    expect(pipeline.plan.limits).toEqual({ corrections: 5, tokens: 1000 });
    expect(pipeline.plan.phases[1]?.gate).toMatchObject({ targets: ['research'], quorum: 1, maxRetries: 'unlimited' });
  });
});

// --- internal ---

function work(name: string, options: Loose = {}) {
  return task(name, { run: () => name, ...options });
}

/** A phase with one task, unless the options say otherwise. */
function step(name: string, options: Loose = {}) {
  return phase(name, { tasks: [work('t')], ...options });
}

function check(name: string) {
  return { name, run: () => true };
}

function errorOf(definition: unknown): PipelineInvalidError | undefined {
  try {
    definePipeline(definition as Parameters<typeof definePipeline>[0]);
  } catch (thrown) {
    if (thrown instanceof PipelineInvalidError) return thrown;
    throw thrown;
  }
  return undefined;
}

function problemsOf(definition: unknown): readonly Problem[] {
  return errorOf(definition)?.problems ?? [];
}

function codesOf(definition: unknown): readonly ProblemCode[] {
  return problemsOf(definition).map((problem) => problem.code);
}

function textOf({ where, message }: Problem): string {
  return `${where}: ${message}`;
}

function refusal(definition: unknown): string | undefined {
  return errorOf(definition)?.message;
}

function refusalOf(...phases: readonly unknown[]): string | undefined {
  return refusal({ name: 'article', phases });
}
