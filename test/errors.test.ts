import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  definePipeline,
  errorInfo,
  needsRework,
  PhasegateError,
  phase,
  PipelineInvalidError,
  retry,
  runPipeline,
  startRun,
  task,
  type Report,
  type TaskContext,
  memoryStore,
} from '../src/index.ts';
import { machineOf } from '../src/machines.ts';
import { isMissing } from '../src/model/errors/phasegate-error.ts';
import { fake, fakeCheck, idle, never, play, untilAborted, type Fake } from './rig.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');

describe('isMissing()', () => {
  const missing = (text: string) => Object.assign(new Error(text), { code: 'ERR_MODULE_NOT_FOUND' });

  it.each([
    ["Cannot find package 'openai' imported from /app/run.js", true],
    ["Cannot find module 'openai/streaming' imported from /app/run.js", true],
    ["Cannot find package 'other' imported from /openai/run.js", false],
  ])('reads the name of the package, and no path: %s', (text, expected) => {
    expect(isMissing(missing(text), 'openai')).toBe(expected);
  });

  it('is about failed imports only', () => {
    expect(isMissing(new Error("Cannot reach 'openai'"), 'openai')).toBe(false);
  });
});

describe('docs/errors.md', () => {
  it('has a heading for every code, and no other', () => {
    const headings = [...page.matchAll(/^## ([A-Z_]+)$/gmu)].map((match) => match[1]);
    expect(headings).toEqual(codesOf('src/model/errors/phasegate-error.ts', 'ErrorCode'));
  });

  it('has an entry for every kind of problem, and no other', () => {
    const headings = [...page.matchAll(/^### ([A-Z_]+)$/gmu)].map((match) => match[1]);
    expect(headings).toEqual(codesOf('src/model/definition/pipeline-invalid-error.ts', 'ProblemCode'));
  });

  it('has cause, remedy and message of every code', () => {
    for (const section of page.split(/^## /mu).slice(1)) {
      const [code] = section.split('\n', 1);
      expect(section, code).toContain('**Why.**');
      expect(section, code).toContain('**What to do.**');
      expect(section, code).toMatch(/```text\n[^]+?\n```/u);
    }
  });

  it('shows messages that begin as real ones do', () => {
    const shown = [...page.matchAll(/```text\n(Cannot \w+)/gu)].map((match) => match[1]);
    const said = sourceFiles()
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const beginning of shown) expect(said).toContain(beginning);
    expect(shown.length).toBeGreaterThan(15);
  });
});

describe('codes', () => {
  it('are all in use', () => {
    const code = sourceFiles()
      .filter((file) => !file.endsWith('errors/phasegate-error.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const defaults = readFileSync(join(root, 'src/model/errors/phasegate-error.ts'), 'utf8');
    const unused = codesOf('src/model/errors/phasegate-error.ts', 'ErrorCode').filter(
      (one) => !code.includes(`'${one}'`) && !defaults.includes(`= '${one}'`),
    );
    expect(unused).toEqual([]);
  });
});

describe('messages', () => {
  it('PIPELINE_INVALID lists every problem at once', () => {
    const work = task('t', { run: () => 1 });
    const one = phase('one', { tasks: [work] });
    const phases = [
      one,
      phase('one', { tasks: [work] }),
      phase('empty', { after: ['one', 'nobody'], tasks: [] }),
      phase('a', { after: ['b'], tasks: [task('x', { after: ['y'], run: () => 1 }), task(' ', { run: () => 1 })] }),
      phase('b', { after: ['a'], tasks: [work], review: { checks: [] } }),
      phase('toString', { tasks: [work], review: { by: () => 'APPROVE', quorum: 3 } }),
      phase('last', { after: [one], tasks: [work], review: { by: () => 'APPROVE', rewindTo: ['one', 'b' as 'one'] } }),
    ];
    const error = thrownBy(() => definePipeline({ name: 'p', phases }));
    expect(error).toBeInstanceOf(PipelineInvalidError);
    expect(error).toMatchInlineSnapshot(`
      [PipelineInvalidError: Cannot define pipeline "p" as it has 10 problems:
        NAME_DUPLICATE in the pipeline: the phase name "one" is used twice. Give each a name of its own.
        NAME_RESERVED in phase "toString": the name is reserved. Pick one that does not start with "__" and is neither a built-in property of objects nor a limit of a run.
        PREDECESSOR_UNKNOWN in phase "empty": it comes after "nobody", which is not a phase of this pipeline. Add that phase, or correct the name; the phases are "one", "empty", "a", "b", "toString", "last".
        PREDECESSOR_UNKNOWN in phase "last": it comes after another phase object named "one" than the one in this pipeline. Use the same object in both places.
        CYCLE in the pipeline: there is a cycle: a → b → a. Drop one dependency on that path, such as "b" from the after list of "a".
        TASKS_EMPTY in phase "empty": it has no tasks. Give it at least one task.
        NAME_INVALID in phase "a", task " ": the name is empty. Give it a name.
        NOT_UPSTREAM in phase "a", task "x": it comes after "y", which is not a task of this phase. Name a task of the same phase; outputs of earlier phases are in \`inputs\`.
        REVIEW_EMPTY in phase "b", review: it has neither reviewers nor checks. Add a reviewer in \`by\` or a check in \`checks\`, or leave the review out.
        QUORUM_IMPOSSIBLE in phase "toString", review: its quorum is 3 but it has 1 reviewer. Lower the quorum or add reviewers.
      Docs: docs/errors.md#PIPELINE_INVALID]
    `);
  });

  it('PIPELINE_INVALID, for an impossible rewind, and for no phases', () => {
    const work = task('t', { run: () => 1 });
    const one = phase('one', { tasks: [work], review: { by: () => 'APPROVE', rewindTo: ['two' as never] } });
    const two = phase('two', {
      after: ['one'],
      tasks: [work],
      review: { by: () => 'APPROVE', rewindTo: ['two', 'three'] },
    });
    expect(thrownBy(() => definePipeline({ name: 'p', phases: [one, two] }))).toMatchInlineSnapshot(`
      [PipelineInvalidError: Cannot define pipeline "p" as it has 3 problems:
        REWIND_IMPOSSIBLE in phase "one", review: it may send back "two", which is not upstream. This phase has no predecessors to send back.
        REWIND_IMPOSSIBLE in phase "two", review: it may send back "two", which is not upstream. Upstream is "one".
        REWIND_IMPOSSIBLE in phase "two", review: it may send back "three", which is not upstream. Upstream is "one".
      Docs: docs/errors.md#PIPELINE_INVALID]
    `);
    expect(thrownBy(() => definePipeline({ name: 'p', phases: [] }))).toMatchInlineSnapshot(`
      [PipelineInvalidError: Cannot define pipeline "p" as it has 1 problem:
        TASKS_EMPTY in the pipeline: it has no phases. Add at least one phase.
      Docs: docs/errors.md#PIPELINE_INVALID]
    `);
  });

  it('PIPELINE_INVALID names the wrong option, with the reason', () => {
    const wrong = {
      name: 7,
      phases: [
        phase('a', {
          tasks: [task('t', { run: 'later' as never, retry: { attempts: 0 }, timeout: -1 })],
          review: { by: () => 'APPROVE', maxRetries: -1, onExhausted: 'ignore' as never, maxretries: 2 } as never,
        }),
      ],
      concurrency: 0.5,
      limits: { tokens: 1.5, costEur: 2 },
    };
    expect(thrownBy(() => definePipeline(wrong as never))).toMatchInlineSnapshot(`
      [PipelineInvalidError: Cannot define the pipeline as it has 10 problems:
        OPTION_INVALID in the pipeline: "name" is 7; expected a string. Correct it.
        OPTION_INVALID in phase "a", task "t": "run" is "later"; expected a function. Correct it.
        OPTION_INVALID in phase "a", task "t": "retry.attempts" is 0; expected a whole number from 1, or "unlimited". Correct it.
        OPTION_INVALID in phase "a", task "t": "timeout" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "a": "review.maxRetries" is -1; expected a number from 0. Correct it.
        OPTION_INVALID in phase "a": "review.onExhausted" is "ignore"; expected "accept", "acceptBest", "escalate" or "reject". Correct it.
        OPTION_INVALID in phase "a": there is no option "review.maxretries". Remove it, or correct its name; there are maxRetries, maxPredecessorRetries, loopAfter, onExhausted, onUnrecognised, onInvalidTarget, maxReviewErrors, onReviewUnavailable, reviewBackoff, minConfidence, approval, rewindTo, invalidate, regate, layout, strategy, maxRevisionChars, maxPromptGrowth, inbox, by, quorum, checks, reflect.
        OPTION_INVALID in the pipeline: "limits.tokens" is 1.5; expected a whole number. Correct it.
        OPTION_INVALID in the pipeline: there is no option "limits.costEur". Remove it, or correct its name; there are corrections, perPair, attemptsPerPhase, costUsd, tokens, durationMs, deadlineMs.
        OPTION_INVALID in the pipeline: "concurrency" is 0.5; expected a whole number from 1, or "unlimited". Correct it.
      Docs: docs/errors.md#PIPELINE_INVALID]
    `);
  });

  it('DECISION_INVALID, from a constructor', () => {
    expect(thrownBy(() => retry(undefined as never))).toMatchInlineSnapshot(`
      [PhasegateError: Cannot make a retry decision as its feedback is not a string: undefined
      Pass a string; an empty one is allowed.
      Docs: docs/errors.md#DECISION_INVALID]
    `);
  });

  it('DECISION_INVALID, from a reviewer', async () => {
    const { records } = await play([fake('a', { verdicts: [{ type: 'retry' }] })]);
    const decided = records.flatMap(({ event }) => (event.type === 'review.decided' ? event.verdict : []));
    expect(decided[0]?.type === 'unavailable' && decided[0].error.message).toMatchInlineSnapshot(`
      "Cannot take the answer of reviewer "review" of phase "a" as a decision: as "retry" it is wrong:
        feedback: Invalid input: expected string, received undefined
      Return approve(), retry(feedback), retryPredecessor(phase, feedback), reject(reason), escalate(reason), or text such as "RETRY: <feedback>". Check what a model has made with decisionSchema, and throw if it fails: then the review is asked again.
      Docs: docs/errors.md#DECISION_INVALID"
    `);
  });

  it('NOT_ESCALATED, DECISION_INVALID and DECISION_TARGET_INVALID, from a person', async () => {
    const told: unknown[] = [];
    await play([fake('a'), fake('b', { after: ['a'], verdicts: ['ESCALATE: look'] })], {
      when: {
        'b escalated (requested): look': async (run) => {
          told.push(await refusalOf(() => run.decide('a', 'APPROVE')));
          told.push(await refusalOf(() => run.decide('b', 'fine by me')));
          told.push(await refusalOf(() => run.decide('b', 'RETRY_PREDECESSOR c: more')));
          await run.decide('b', 'APPROVE');
        },
      },
    });
    expect(told[0]).toMatchInlineSnapshot(`
      [PhasegateError: Cannot decide on "a" as it does not wait for a decision
      Waiting are "b".
      Docs: docs/errors.md#NOT_ESCALATED]
    `);
    expect(told[1]).toMatchInlineSnapshot(`
      [PhasegateError: Cannot decide on "b" as "fine by me" is not a decision that ends an escalation
      Answer APPROVE, RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>; for a limit, APPROVE or REJECT only.
      Docs: docs/errors.md#DECISION_INVALID]
    `);
    expect(told[2]).toMatchInlineSnapshot(`
      [PhasegateError: Cannot send back "c" from "b" as it is not upstream
      Upstream are "a".
      Docs: docs/errors.md#DECISION_TARGET_INVALID]
    `);
  });

  it('DECISION_INVALID, for the approval of an attempt without outputs', async () => {
    let told: unknown;
    const b = fake('b', { after: ['a'], outputs: [needsRework('a', 'more')], verdicts: [] });
    await play([fake('a'), b], {
      policy: { onLimit: 'escalate' },
      limits: { corrections: 0 },
      when: {
        'b escalated (limit): The limit of 0 for corrections is spent': async (run) => {
          told = await refusalOf(() => run.decide('b', 'APPROVE'));
          await run.decide('b', 'REJECT: no');
        },
      },
    });
    expect(told).toMatchInlineSnapshot(`
      [PhasegateError: Cannot approve "b" as its attempt has no outputs
      Answer RETRY: <feedback>, RETRY_PREDECESSOR <phase>: <feedback>, or REJECT: <reason>.
      Docs: docs/errors.md#DECISION_INVALID]
    `);
  });

  it('DEFINITION_INVALID, for a plan with the work of another pipeline', async () => {
    const plan = definePipeline({ name: 'p', phases: [fake('a').definition] }).plan;
    const { work } = definePipeline({ name: 'q', phases: [fake('b').definition] });
    const result = await startRun({ name: 'p', plan, work }).result;
    expect(result.phases['a']?.error?.message).toMatchInlineSnapshot(`
      "Cannot run phase "a" as the definition has no work for it
      Run a plan with the pipeline that it was made from.
      Docs: docs/errors.md#DEFINITION_INVALID"
    `);
  });

  it('INPUT_INVALID, for a run', async () => {
    const a = fake('a');
    const schema = z.object({ topic: z.string(), words: z.number().int() });
    const refused = await play([a], { schema, run: { input: { topic: 7, words: 1.5 } } });
    expect(refused.result.error?.message).toMatchInlineSnapshot(`
      "Cannot start a run of pipeline "rig" as its schema refuses the input:
        topic: Invalid input: expected string, received number
        words: Invalid input: expected int, received number
      Pass an \`input\` that the schema accepts.
      Docs: docs/errors.md#INPUT_INVALID"
    `);
    const garbled = await play([a], { run: { input: { when: new Date(0) } } });
    expect(garbled.result.error?.message).toMatchInlineSnapshot(`
      "Cannot start a run of pipeline "rig" as $.when of its input is an instance of Date, which is not JSON
      Pass plain data.
      Docs: docs/errors.md#INPUT_INVALID"
    `);
  });

  it('INPUT_INVALID, for a phase', async () => {
    const b = fake('b', { after: ['a'], input: z.object({ a: z.object({ work: z.number() }) }) });
    expect(await messageOf([fake('a'), b], 'b')).toMatchInlineSnapshot(`
      "Cannot start phase "b" as its input schema refuses its inputs:
        a.work: Invalid input: expected number, received string
      Correct the phase that produced the input, or let the gate of this phase send that phase back.
      Docs: docs/errors.md#INPUT_INVALID"
    `);
  });

  it('OUTPUT_INVALID', async () => {
    const a = fake('a', {
      tasks: [task('t', { output: z.object({ n: z.number() }), run: () => ({ n: 'x' as never }) })],
    });
    expect(await messageOf([a], 'a')).toMatchInlineSnapshot(`
      "Cannot accept the output of task "t" as its schema refuses it:
        n: Invalid input: expected number, received string
      Return what the schema describes, or change the schema.
      Docs: docs/errors.md#OUTPUT_INVALID"
    `);
  });

  it('OUTPUT_NOT_JSON', async () => {
    expect(await messageOf([fake('a', { outputs: [{ rows: [{ when: new Date(0) }] }] })], 'a')).toMatchInlineSnapshot(`
      "Cannot store the output of task "work" as $.rows[0].when is an instance of Date, which is not JSON
      Return plain data: strings, finite numbers, booleans, null, arrays and object literals.
      Docs: docs/errors.md#OUTPUT_NOT_JSON"
    `);
  });

  it('PREDECESSOR_FAILED', async () => {
    const a = fake('a', { outputs: ['a 1', new Error('broken')] });
    const b = fake('b', { after: ['a'], verdicts: ['RETRY_PREDECESSOR a: more'] });
    expect(await messageOf([a, b], 'b')).toMatchInlineSnapshot(`
      "Cannot restart phase "b" as "a", which it sent back or depends on, has ended without approval
      See why "a" ended.
      Docs: docs/errors.md#PREDECESSOR_FAILED"
    `);
  });

  it('REPORT_INVALID', async () => {
    const reporting = (report: Report) => fake('a', { outputs: [(context: TaskContext) => context.report(report)] });
    expect(await messageOf([reporting({ tokens: -1 })], 'a')).toMatchInlineSnapshot(`
      "Cannot report usage as tokens is -1, not a number from 0
      Report what was used since the last report, as a number up to 9007199254740991.
      Docs: docs/errors.md#REPORT_INVALID"
    `);
    expect(await messageOf([reporting({ tokens: null as never })], 'a')).toContain('as tokens is null, not');
    expect(await messageOf([reporting({ tokens: {} as never })], 'a')).toContain('as tokens is an object, not');
    expect(await messageOf([reporting({ artifact: 'text' as never })], 'a')).toMatchInlineSnapshot(`
      "Cannot report the given artifact as it is a string
      Report an object with \`name\`, or leave \`artifact\` out.
      Docs: docs/errors.md#REPORT_INVALID"
    `);
    const artifact = { name: 'log', content: { done: () => true } };
    expect(await messageOf([reporting({ artifact })], 'a')).toMatchInlineSnapshot(`
      "Cannot report artifact "log" as $.done is a function, which is not JSON
      Report plain data, or write a file and report its path.
      Docs: docs/errors.md#REPORT_INVALID"
    `);
  });

  it('REVIEW_UNAVAILABLE', async () => {
    const a = fake('a', { maxReviewErrors: 1, verdicts: [new Error('busy'), new Error('still busy')] });
    expect(await messageOf([a], 'a')).toMatchInlineSnapshot(`
      "Cannot judge phase "a" as its review was unavailable in 2 tries: still busy
      The work was not rejected. Repair the reviewer, raise maxReviewErrors, or run attended so that a person decides.
      Docs: docs/errors.md#REVIEW_UNAVAILABLE"
    `);
    const b = fake('b', { maxReviewErrors: 0, onUnrecognised: 'ask', verdicts: ['looks fine to me'] });
    expect(await messageOf([b], 'b')).toMatchInlineSnapshot(`
      "Cannot judge phase "b" as its review was unavailable in one try: no verdict in "looks fine to me"
      The work was not rejected. Repair the reviewer, raise maxReviewErrors, or run attended so that a person decides.
      Docs: docs/errors.md#REVIEW_UNAVAILABLE"
    `);
    const c = fake('c', { maxReviewErrors: 0, verdicts: [{ ...retry('x'), confidence: 0.2 }] });
    expect(await messageOf([c], 'c')).toMatchInlineSnapshot(`
      "Cannot judge phase "c" as its review was unavailable in one try: confidence of 0.2 is too low for "retry"
      The work was not rejected. Repair the reviewer, raise maxReviewErrors, or run attended so that a person decides.
      Docs: docs/errors.md#REVIEW_UNAVAILABLE"
    `);
    const d = fake('d', { maxReviewErrors: 0, checks: [fakeCheck('size', [{ passed: 'yes' }])] });
    expect(await messageOf([d], 'd')).toMatchInlineSnapshot(`
      "Cannot judge phase "d" as its review was unavailable in one try: Cannot read the answer of check "size":
        passed: Invalid input: expected boolean, received string
      The work was not rejected. Repair the reviewer, raise maxReviewErrors, or run attended so that a person decides.
      Docs: docs/errors.md#REVIEW_UNAVAILABLE"
    `);
  });

  it('REWORK_IMPOSSIBLE', async () => {
    const b = fake('b', { after: ['a'], outputs: [needsRework('a', 'List the steps.')] });
    expect(await messageOf([fake('a'), b], 'b')).toMatchInlineSnapshot(`
      "Cannot continue phase "b" as it needs changes in "a", and has no gate that may send it back: List the steps.
      Give phase "b" a gate: its \`review\` sends phases back, also for a task.
      Docs: docs/errors.md#REWORK_IMPOSSIBLE"
    `);
  });

  it('RUN_UNSUCCESSFUL', async () => {
    const pipelineOf = (one: Fake) => definePipeline({ name: 'article', phases: [one.definition] });
    const broken = pipelineOf(fake('a', { outputs: [new Error('The disk is full')] }));
    await expect(runPipeline(broken, { runId: 'r1' })).rejects.toMatchInlineSnapshot(`
      [RunUnsuccessfulError: Cannot return outputs as run r1 of pipeline "article" ended failed, as phase "a" failed: The disk is full
      Its \`result\` field has every phase with its decisions and errors.
      Docs: docs/errors.md#RUN_UNSUCCESSFUL]
    `);
    const rejected = pipelineOf(fake('a', { verdicts: ['REJECT: off topic'] }));
    await expect(runPipeline(rejected, { runId: 'r2' })).rejects.toMatchInlineSnapshot(`
      [RunUnsuccessfulError: Cannot return outputs as run r2 of pipeline "article" ended rejected, as phase "a" was rejected: off topic
      Its \`result\` field has every phase with its decisions and errors.
      Docs: docs/errors.md#RUN_UNSUCCESSFUL]
    `);
    const signal = AbortSignal.abort(new Error('shutting down'));
    await expect(runPipeline(pipelineOf(fake('a')), { runId: 'r3', signal })).rejects.toMatchInlineSnapshot(`
      [RunUnsuccessfulError: Cannot return outputs as run r3 of pipeline "article" ended cancelled: shutting down
      Its \`result\` field has every phase with its decisions and errors.
      Docs: docs/errors.md#RUN_UNSUCCESSFUL]
    `);
  });

  it('SNAPSHOT_NOT_RESTORABLE', async () => {
    const pipeline = definePipeline({ name: 'p', phases: [fake('a', { outputs: [untilAborted] }).definition] });
    const input = { run: 'r', plan: pipeline.plan };
    const actor = createActor(machineOf(pipeline), { input }).start();
    const snapshot: unknown = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
    actor.stop();
    const restored = createActor(machineOf(pipeline), { input, snapshot: snapshot as never });
    const error = new Promise((resolve) => restored.subscribe({ error: resolve }));
    restored.start();
    expect(await error).toMatchInlineSnapshot(`
      [PhasegateError: Cannot restore a pipeline from an XState snapshot as the snapshot lacks its phases and its ledger
      Keep the records of the run and start it again with startRun(); snapshots of a single phaseMachine, and of a pipeline that has ended, can be restored.
      Docs: docs/errors.md#SNAPSHOT_NOT_RESTORABLE]
    `);
    await idle();
  });

  it('STORE_FAILED', async () => {
    const store = { ...memoryStore(), append: () => Promise.reject(new Error('The disk is full')) };
    const { result } = await play([fake('a', { outputs: [untilAborted] })], { run: { runId: 'r', store } });
    expect(result.error?.message).toMatchInlineSnapshot(`
      "Cannot continue run r as its store refused 3 records
      Repair the store, then resume the run: all its published records are stored.
      Docs: docs/errors.md#STORE_FAILED"
    `);
  });

  it('TASK_TIMEOUT', async () => {
    expect(await messageOf([fake('a', { tasks: [task('slow', { timeout: 50, run: never })] })], 'a'))
      .toMatchInlineSnapshot(`
      "Cannot wait longer for task "slow" as its timeout of 50 ms is over
      Raise \`timeout\` (milliseconds, 0 for none), or pass \`signal\` to the calls that the task awaits.
      Docs: docs/errors.md#TASK_TIMEOUT"
    `);
  });
});

describe('PhasegateError', () => {
  it('is recognised across copies of the package, with its code, hint and cause', () => {
    const cause = new Error('deep');
    const error = new PhasegateError('TASK_FAILED', 'Cannot go on', { hint: 'Rest.', cause });
    expect(PhasegateError.is(error)).toBe(true);
    expect(PhasegateError.is(Object.assign(new Error('x'), { [Symbol.for('phasegate.error')]: true }))).toBe(true);
    for (const other of [new Error('x'), null, undefined, 'TASK_FAILED', {}])
      expect(PhasegateError.is(other)).toBe(false);
    expect(error).toMatchObject({ name: 'PhasegateError', code: 'TASK_FAILED', hint: 'Rest.', cause });
    expect(error.message).toBe('Cannot go on\nRest.\nDocs: docs/errors.md#TASK_FAILED');
  });
});

describe('errorInfo()', () => {
  it('keeps the code of an error that has one, and gives others a code', () => {
    expect(errorInfo(Object.assign(new TypeError('x'), { code: 'ENOENT' }))).toMatchObject({
      code: 'ENOENT',
      name: 'TypeError',
      message: 'x',
    });
    expect(errorInfo(new Error('x'))).toMatchObject({ code: 'TASK_FAILED', name: 'Error' });
    expect(errorInfo('x', 'INTERNAL')).toEqual({
      code: 'INTERNAL',
      name: 'string',
      message: 'Thrown value was not an Error: "x"',
    });
  });
});

// --- internal ---

/** Returns the members of a union of strings in the source. */
function codesOf(file: string, type: string): readonly string[] {
  const union =
    new RegExp(`export type ${type} =([^;]*);`, 'u').exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? '';
  return [...union.matchAll(/'([A-Z_]+)'/gu)].map((match) => match[1] ?? '');
}

function sourceFiles(): readonly string[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function refusalOf(call: () => Promise<void>): Promise<unknown> {
  try {
    await call();
    return 'not refused';
  } catch (error) {
    return error;
  }
}

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

async function messageOf(phases: readonly Fake[], name: string): Promise<string | undefined> {
  const { result } = await play(phases);
  return result.phases[name]?.error?.message;
}
