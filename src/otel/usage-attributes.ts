/**
 * What work has used, as attributes.
 *
 * @module
 */
import type { Attributes } from '@opentelemetry/api';
import type { EventOf } from '../model/events/event.ts';

/** What was reported since a span began. */
export interface Usage {
  tokens: number;
  costUsd: number;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** The models that were asked, as far as they were named. */
  readonly models: Set<string>;
  /** Who serves them, as far as that was named. */
  readonly providers: Set<string>;
  /** The tasks or reviewers that told of a model. */
  readonly agents: Set<string>;
}

/** Nothing. */
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

/** Adds what a task or a reviewer reports. */
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

/** Sums of a span that has others below it, where each model call would be counted again. */
export function sums({ tokens, costUsd }: Usage): Attributes {
  return {
    ...(tokens > 0 && { 'phasegate.tokens': tokens }),
    ...(costUsd > 0 && { 'phasegate.cost_usd': costUsd }),
  };
}

/** What the work of one span has used itself, in the words of the GenAI conventions. */
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

/** The one name in it, if there is just one. */
export function only(names: ReadonlySet<string>): string | undefined {
  const [first] = names;
  return names.size === 1 ? first : undefined;
}
