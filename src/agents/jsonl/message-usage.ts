/**
 * Usage of a turn whose agent states it for each of its messages.
 *
 * @module
 */
import type { AgentUsage } from '../agent-event.ts';
import { sumOf } from './json-fields.ts';

type UsageEvent = { readonly type: 'usage' } & AgentUsage;

/** Usage of all messages of a turn. */
export interface MessageUsage {
  /** Takes the usage of a message, which may come again. @returns The usage so far; `undefined` if nothing is known of this message. */
  add(id: string, usage: AgentUsage, model: string): UsageEvent | undefined;
  /** Takes the usage of the whole turn. Amounts that it does not state are those of the messages. */
  total(usage: AgentUsage): UsageEvent;
}

/** Creates the usage of one turn. */
export function createMessageUsage(): MessageUsage {
  const done = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let current: { readonly id: string; readonly usage: AgentUsage } | undefined;
  let model: string | undefined;
  let isKnown = false;

  function close(): void {
    if (!current) return;
    for (const name of AMOUNTS) done[name] += current.usage[name] ?? 0;
    current = undefined;
  }

  function soFar(): AgentUsage {
    if (!isKnown) return {};
    const amounts = AMOUNTS.map((name) => [name, done[name] + (current?.usage[name] ?? 0)] as const);
    return Object.fromEntries(amounts);
  }

  return {
    add(id, usage, by) {
      if (sumOf([usage.inputTokens, usage.outputTokens]) === undefined) return undefined;
      if (current?.id !== id || id === '') close();
      current = { id, usage };
      isKnown = true;
      if (by !== '') model ??= by;
      return { type: 'usage', ...soFar(), model };
    },
    total(usage) {
      const known = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
      return { type: 'usage', ...soFar(), ...known, model };
    },
  };
}

// --- internal ---

const AMOUNTS = ['inputTokens', 'outputTokens', 'cachedTokens'] as const;
