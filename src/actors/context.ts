/**
 * What handlers are given.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { isActive } from '../machines/actor.ts';
import type { PhaseContext } from '../machines/phase-context.ts';
import { reportWork } from '../machines/uplink.ts';
import { PhasegateError } from '../model/errors.ts';
import { toJson } from '../model/json.ts';
import type { TaskPlan } from '../model/plan.ts';
import { gateDefaults } from '../model/policy.ts';
import { renderPrompt } from '../model/revision.ts';
import type { Inputs, Outputs, Report, TaskContext, TaskRevision } from '../model/task-types.ts';

/** What one try of one task knows of itself. */
export interface Try {
  readonly scope: PhaseContext;
  readonly plan: TaskPlan;
  /** What it is to the gate; a review that is asked again is another piece of work. */
  readonly role: 'task' | 'check' | 'review';
  /** The actor that runs it; its parent, the phase, is told what happens. */
  readonly self: AnyActorRef;
  readonly inputs: Inputs;
  /** Outputs of this attempt that the task may read. */
  readonly outputs: Outputs;
  signal(): AbortSignal;
  isOver(): boolean;
}

/**
 * The context of one try. What is costly is made when a handler reads it.
 *
 * A class, because an object literal with accessors is a slow dictionary in V8, which showed in every phase; accessors of a
 * prototype are not.
 */
export class HandlerContext implements TaskContext {
  readonly description: string;
  readonly input: unknown;
  readonly inputs: Inputs;
  readonly context: Outputs;
  readonly attempt: number;
  readonly generation: number;
  readonly run: string;
  readonly phase: string;
  readonly task: string;
  readonly report: (report: Report) => void;
  readonly #one: Try;
  #prompt: string | undefined;

  constructor(one: Try) {
    const { scope, plan } = one;
    this.description = plan.description;
    this.input = scope.origin.input;
    this.inputs = one.inputs;
    this.context = one.outputs;
    this.attempt = scope.attempt;
    this.generation = scope.origin.generation;
    this.run = scope.origin.run;
    this.phase = scope.origin.phase.name;
    this.task = plan.name;
    this.report = (report) => sendReport(one, report);
    this.#one = one;
  }

  get prompt(): string {
    this.#prompt ??= renderedPrompt(this.#one);
    return this.#prompt;
  }

  get revision(): TaskRevision | undefined {
    return revisionOf(this.#one);
  }

  get signal(): AbortSignal {
    return this.#one.signal();
  }

  get idempotencyKey(): string {
    const { role, scope } = this.#one;
    const { run, phase, generation } = scope.origin;
    const asked = role === 'review' ? [scope.review.errors + 1] : [];
    return [run, phase.name, generation, scope.attempt, role, this.task, ...asked].map(encodeURIComponent).join('/');
  }
}

/** Which task of which attempt a report is about. */
export function about({ origin, attempt }: PhaseContext, plan: TaskPlan) {
  return { phase: origin.phase.name, generation: origin.generation, attempt, task: plan.name };
}

// --- internal ---

function revisionOf({ scope, plan, role }: Try): TaskRevision | undefined {
  if (!scope.revision || role !== 'task') return scope.revision;
  const previousOutput = scope.previous?.[plan.name];
  return previousOutput === undefined ? scope.revision : { ...scope.revision, previousOutput };
}

function renderedPrompt(one: Try): string {
  const { scope, plan, role } = one;
  if (role !== 'task') return plan.description;
  const style = scope.origin.phase.gate ?? gateDefaults;
  const prompt = renderPrompt(plan.description, scope.revision, scope.previous?.[plan.name], style);
  const most = style.maxPromptGrowth * Math.max(plan.description.length, SMALLEST_PROMPT);
  if (style.maxPromptGrowth > 0 && prompt.length > most) {
    const { phase, generation, attempt } = about(scope, plan);
    const message = `The prompt of task "${plan.name}" has grown from ${plan.description.length} to ${prompt.length} characters`;
    reportWork(one.self, { type: 'phase.warned', phase, generation, attempt, code: 'PROMPT_GREW', message });
  }
  return prompt;
}

/** Prompts shorter than this many characters grow by any revision; their growth is measured from here. */
const SMALLEST_PROMPT = 1000;

function sendReport(one: Try, report: Report): void {
  if (one.isOver() || !isActive(one.self)) return;
  const { scope, plan, role, self } = one;
  const { tokens, costUsd, progress, artifact } = report;
  amount('tokens', tokens);
  amount('costUsd', costUsd);
  reportWork(self, {
    type: 'task.reported',
    ...about(scope, plan),
    reviewer: role !== 'task',
    ...(tokens !== undefined && { tokens }),
    ...(costUsd !== undefined && { costUsd }),
    ...(progress !== undefined && { progress: typeof progress === 'number' ? progress : String(progress) }),
    ...(artifact && { artifact: { name: String(artifact.name), content: jsonContent(artifact) } }),
  });
}

function amount(field: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) return;
  throw new PhasegateError(
    'REPORT_INVALID',
    `Cannot report usage as ${field} is ${typeof value === 'number' ? value : `a ${typeof value}`}, not a number from 0`,
    {
      hint: 'Report what was used since the last report, as a finite number.',
    },
  );
}

function jsonContent({ name, content }: NonNullable<Report['artifact']>): unknown {
  const copy = toJson(content);
  if (copy.ok) return copy.value;
  const { path, found } = copy.problem;
  throw new PhasegateError(
    'REPORT_INVALID',
    `Cannot report artifact "${name}" as ${path} is ${found}, which is not JSON`,
    {
      hint: 'Report plain data, or write a file and report its path.',
    },
  );
}
