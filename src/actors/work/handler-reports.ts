/**
 * Reports of handlers, as events of a phase.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Report } from '../../model/handlers/task.ts';
import { toJson } from '../../model/values/json.ts';
import { elided, TEXT_LIMITS } from '../../model/values/text-limits.ts';
import { about } from './report-source.ts';
import type { Try } from './single-try.ts';
import { isAmount, requireAmount, requireTexts, sumOf } from './usage-amounts.ts';

/**
 * A function of its own. V8 allocates a function literal that is assigned to a property in the old space. Everything that it
 * references would live until a major garbage collection.
 */
export function reporterOf(one: Try): (report: Report) => void {
  return (report) => sendReport(one, report);
}

// --- internal ---

function sendReport(one: Try, report: Report): void {
  if (Object(report) !== report)
    throw new PhasegateError('REPORT_INVALID', 'Cannot report the given value as it is no object', {
      hint: 'Report fields, such as `{ tokens }` or `{ progress }`.',
    });
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
    waiting,
    warning,
  } = report;
  requireAmount('inputTokens', inputTokens);
  requireAmount('outputTokens', outputTokens);
  requireAmount('tokens', tokens);
  requireAmount('costUsd', costUsd);
  requireTexts('artifact', artifact, ['name']);
  requireTexts('warning', warning, ['code', 'message']);
  if (warning) {
    const { phase, generation, attempt } = about(scope.input, plan);
    const { code, message } = {
      code: elided(warning.code, TEXT_LIMITS.name),
      message: elided(warning.message, TEXT_LIMITS.report),
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
    ...(estimated && (tokens ?? costUsd) !== undefined && { estimated: true }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(model !== undefined && { model: elided(String(model), TEXT_LIMITS.name) }),
    ...(provider !== undefined && { provider: elided(String(provider), TEXT_LIMITS.name) }),
    ...(progress !== undefined && {
      // JSON has no other numbers.
      progress:
        typeof progress === 'number' && Number.isFinite(progress)
          ? progress
          : elided(String(progress), TEXT_LIMITS.report),
    }),
    ...(artifact && { artifact: { name: artifact.name, content: jsonContent(artifact) } }),
    ...(observation !== undefined && { observation: elided(String(observation), LONGEST_OBSERVED) }),
    ...(waiting !== undefined && { waiting: Boolean(waiting) }),
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
    ...(estimated && { estimated: true }),
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
