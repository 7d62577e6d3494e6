/**
 * The usage of work, as attributes.
 *
 * @module
 */
import type { Attributes } from '@opentelemetry/api';
import type { EventOf } from '../model/events/event.ts';

/** The usage that was reported since the start of a span. */
export interface Usage {
  tokens: number;
  costUsd: number;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** The models that were called, if reported. */
  readonly models: Set<string>;
  /** The providers of these models, if reported. */
  readonly providers: Set<string>;
  /** The tasks or reviewers that reported a model. */
  readonly agents: Set<string>;
}

/** No usage. */
export function noUsage(): Usage {
  return {
    tokens: 0,
    costUsd: 0,
    inputTokens: undefined,
    outputTokens: undefined,
    models: new Set(),
    providers: new Set(),
    agents: new Set(),
  };
}

/** Adds a report of a task or a reviewer. */
export function addUsage(usage: Usage, report: EventOf<'task.reported'>): void {
  const { tokens = 0, costUsd = 0, inputTokens, outputTokens, model, provider } = report;
  usage.tokens += tokens;
  usage.costUsd += costUsd;
  if (inputTokens !== undefined) usage.inputTokens = (usage.inputTokens ?? 0) + inputTokens;
  if (outputTokens !== undefined) usage.outputTokens = (usage.outputTokens ?? 0) + outputTokens;
  if (model !== undefined) usage.models.add(model);
  if (provider !== undefined) usage.providers.add(provider);
  if (model !== undefined || inputTokens !== undefined || outputTokens !== undefined) usage.agents.add(report.task);
}

/** Totals of a span with child spans. Token attributes of the GenAI conventions would count each model call twice. */
export function sums({ tokens, costUsd }: Usage): Attributes {
  return {
    ...(tokens > 0 && { 'phasegate.tokens': tokens }),
    ...(costUsd > 0 && { 'phasegate.cost_usd': costUsd }),
  };
}

/** Usage of a span without child spans, with the names of the GenAI conventions. */
export function modelUsage(usage: Usage): Attributes {
  const { inputTokens, outputTokens } = usage;
  const model = only(usage.models);
  const provider = only(usage.providers);
  const agent = only(usage.agents);
  return {
    ...sums(usage),
    ...(inputTokens !== undefined && { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(model !== undefined && { 'gen_ai.request.model': model }),
    ...(provider !== undefined && { 'gen_ai.provider.name': provider }),
    ...(usage.models.size > 1 && { 'phasegate.models': [...usage.models] }),
    ...(agent !== undefined && { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent }),
  };
}

/** The only name in a set; `undefined` if there are none or several. */
export function only(names: ReadonlySet<string>): string | undefined {
  const [first] = names;
  return names.size === 1 ? first : undefined;
}
