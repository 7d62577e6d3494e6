/**
 * The context of handlers.
 *
 * @module
 */
import type { PhaseContext } from '../../machines/phase/phase-context.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Inputs, Outputs, Report, TaskContext, TaskRevision } from '../../model/handlers/task.ts';
import { inputsForHandler } from '../../model/ledger/input-view.ts';
import type { TaskPlan } from '../../model/plan/plan.ts';
import { gateDefaults } from '../../model/plan/policy.ts';
import { renderPrompt, SMALLEST_PROMPT } from '../../model/revision/prompt.ts';
import { recalledBy } from '../../model/revision/revision-extras.ts';
import { toJson } from '../../model/values/json.ts';
import { elided, TEXT_LIMITS } from '../../model/values/text-limits.ts';
import type { Try } from './single-try.ts';
import { isAmount, requireAmount, sumOf } from './usage-amounts.ts';

/**
 * The context of one try. Costly parts are computed when a handler reads them.
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
    const { scope, plan, inputs, outputs } = one.trial;
    const { origin, attempt } = scope.input;
    this.description = plan.description;
    this.input = origin.input;
    this.inputs = inputsForHandler(inputs);
    this.context = outputs;
    this.attempt = attempt;
    this.generation = origin.generation;
    this.run = origin.run;
    this.phase = origin.phase.name;
    this.task = plan.name;
    this.report = reporterOf(one);
    this.#one = one;
  }

  get prompt(): string {
    if (this.#prompt === undefined) {
      this.#prompt = renderedPrompt(this.#one);
      this.#one.prompt = this.#prompt;
    }
    return this.#prompt;
  }

  get revision(): TaskRevision | undefined {
    const revision = revisionOf(this.#one);
    if (revision) this.#one.revised = true;
    return revision;
  }

  get artifacts(): TaskContext['artifacts'] {
    return this.#one.trial.scope.input.background.recollection?.artifacts ?? NOTHING;
  }

  get signal(): AbortSignal {
    return this.#one.signal;
  }

  get wait(): TaskContext['wait'] {
    const one = this.#one;
    return (ms) => waitFor(one, ms);
  }

  get idempotencyKey(): string {
    const { role, scope, run: again } = this.#one.trial;
    const { origin, review, attempt, renewals } = scope.input;
    const { run, phase, generation } = origin;
    // Attempts are numbered from 0 again if a phase starts over, and then its work is different work.
    const start = renewals === 0 ? generation : `${generation}.${renewals}`;
    // A review that is repeated after an error is different work as well, and so is a check that is run again.
    const asked = role === 'review' || role === 'check' ? [review.errors + 1] : [];
    const counts = again === undefined ? asked : [...asked, again];
    return [run, phase.name, start, attempt, role, this.task, ...counts].map(encodeURIComponent).join('/');
  }
}

/**
 * A function of its own. V8 allocates a function literal that is assigned to a property in the old space. Everything that it
 * references would live until a major garbage collection.
 */
function reporterOf(one: Try): HandlerContext['report'] {
  return (report) => sendReport(one, report);
}

/** Fields that identify the task and attempt of a report. */
export function about({ origin, attempt }: PhaseContext, plan: TaskPlan) {
  return { phase: origin.phase.name, generation: origin.generation, attempt, task: plan.name };
}

// --- internal ---

const NOTHING: readonly never[] = Object.freeze([]);

function revisionOf({ trial: { scope, plan, role, recollection } }: Try): TaskRevision | undefined {
  const { revision, previous } = scope.input;
  if (!revision || role !== 'task') return revision;
  const previousOutput = previous?.[plan.name];
  const { artifacts: _, ...recalled } = recalledBy(recollection, plan.name);
  return { ...revision, ...(previousOutput !== undefined && { previousOutput }), ...recalled };
}

function renderedPrompt({ trial: { scope, plan, role, recollection } }: Try): string {
  const { origin, revision, previous } = scope.input;
  if (role !== 'task') return plan.description;
  const style = origin.phase.gate ?? gateDefaults;
  const given = revision && { ...revision, ...recalledBy(recollection, plan.name) };
  const prompt = renderPrompt(plan.description, given, previous?.[plan.name], style);
  const most = style.maxPromptGrowth * Math.max(plan.description.length, SMALLEST_PROMPT);
  if (style.maxPromptGrowth > 0 && prompt.length > most) {
    const { phase, generation, attempt } = about(scope.input, plan);
    const message = `The prompt of task "${plan.name}" has grown from ${plan.description.length} to ${prompt.length} characters`;
    scope.report({ type: 'phase.warned', phase, generation, attempt, code: 'PROMPT_GREW', message });
  }
  return prompt;
}

function sendReport(one: Try, report: Report): void {
  const { scope, plan, role } = one.trial;
  if (one.isOver || scope.isOver) {
    sendLate(one, report);
    return;
  }
  const {
    inputTokens,
    outputTokens,
    tokens = sumOf(inputTokens, outputTokens),
    costUsd,
    estimated = false,
    model,
    provider,
    progress,
    artifact,
    observation,
    warning,
  } = report;
  requireAmount('inputTokens', inputTokens);
  requireAmount('outputTokens', outputTokens);
  requireAmount('tokens', tokens);
  requireAmount('costUsd', costUsd);
  if (warning) {
    const { phase, generation, attempt } = about(scope.input, plan);
    const { code, message } = {
      code: elided(String(warning.code), TEXT_LIMITS.name),
      message: elided(String(warning.message), TEXT_LIMITS.report),
    };
    scope.report({ type: 'phase.warned', phase, generation, attempt, code, message });
    if (Object.values(report).filter((value) => value !== undefined).length === 1) return;
  }
  one.countUsage({ tokens, costUsd });
  scope.report({
    type: 'task.reported',
    ...about(scope.input, plan),
    reviewer: role !== 'task' && role !== 'reflect',
    ...(tokens !== undefined && { tokens }),
    ...(costUsd !== undefined && { costUsd }),
    ...(estimated && (tokens ?? costUsd) !== undefined && { estimated }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(model !== undefined && { model: elided(String(model), TEXT_LIMITS.name) }),
    ...(provider !== undefined && { provider: elided(String(provider), TEXT_LIMITS.name) }),
    ...(progress !== undefined && {
      progress: typeof progress === 'number' ? progress : elided(String(progress), TEXT_LIMITS.report),
    }),
    ...(artifact && { artifact: { name: String(artifact.name), content: jsonContent(artifact) } }),
    ...(observation !== undefined && { observation: elided(String(observation), LONGEST_OBSERVED) }),
  });
}

function waitFor({ isOver, signal, trial: { scope } }: Try, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (isOver || signal.aborted) {
      resolve();
      return;
    }
    const clearTimer = scope.after(ms, end);
    signal.addEventListener('abort', end);
    function end(): void {
      clearTimer();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}

/** Handles a report of a try that has ended: only its usage counts, less the amounts that were charged already. */
function sendLate(one: Try, report: Report): void {
  const {
    inputTokens,
    outputTokens,
    tokens = sumOf(inputTokens, outputTokens),
    costUsd,
    estimated,
    model,
    provider,
  } = report;
  if (![inputTokens, outputTokens, tokens, costUsd].every(isAmount)) return;
  const left = one.countUsage({ tokens, costUsd });
  if (!left.tokens && !left.costUsd) return;
  one.reportUsage({
    ...(left.tokens && { tokens: left.tokens }),
    ...(left.costUsd && { costUsd: left.costUsd }),
    ...(estimated && { estimated }),
    // The split into input and output is unknown for a part of the tokens.
    ...(left.tokens === tokens && inputTokens !== undefined && { inputTokens }),
    ...(left.tokens === tokens && outputTokens !== undefined && { outputTokens }),
    ...(model !== undefined && { model: elided(String(model), TEXT_LIMITS.name) }),
    ...(provider !== undefined && { provider: elided(String(provider), TEXT_LIMITS.name) }),
  });
}

/** Most characters of an observation in a record. */
const LONGEST_OBSERVED = 16_000;

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
