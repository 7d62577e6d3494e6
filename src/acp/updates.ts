/**
 * Updates of a session as events.
 *
 * @module
 */
import type { AgentEvent, AgentUsage, PlanStep, ToolEvent, ToolKind } from '../agents/agent-event.ts';
import { countOf, fieldsOf, itemsOf, textOf, type Fields } from '../agents/jsonl/json-fields.ts';
import { MOST_PATHS } from '../agents/permission-decision.ts';
import { contentHash } from '../model/values/content-hash.ts';
import { cutEnd } from '../model/values/text-limits.ts';
import { answerText } from '../agents/jsonl/profile.ts';

/** Reader of the updates of one turn. */
export interface UpdateReader {
  /** The events of an update. */
  read(update: unknown): readonly AgentEvent[];
  /** A tool call as a question for permission tells it, with all that is known of it. */
  tool(call: unknown): ToolEvent;
  /** The arguments of a call as JSON, and its changes of files, each cut; empty if the agent states none. `whole` is a hash of all of it, uncut. */
  details(call: unknown): { readonly details: string; readonly whole: string };
  /** The message since the last tool call. */
  answer(): string;
}

/** Creates the reader of one turn. */
export function createUpdateReader(): UpdateReader {
  const calls = new Map<string, ToolEvent>();
  const inputs = new Map<string, Shown>();
  const changes = new Map<string, Shown>();
  let last = '';
  let isNew = true;

  function message(content: unknown): readonly AgentEvent[] {
    const { type, text } = fieldsOf(content);
    if (type !== 'text' || typeof text !== 'string') return [];
    last = answerText(isNew ? text : last + text);
    isNew = false;
    return [{ type: 'text', text }];
  }

  function tool(given: unknown): ToolEvent {
    const call = fieldsOf(given);
    const id = idOf(call);
    const before = calls.get(id);
    const locations = itemsOf(call['locations']).map((one) => textOf(fieldsOf(one)['path']));
    const diffs = diffsIn(call['content']);
    const [diff] = diffs;
    const paths = [...locations, ...diffs.map(({ path }) => path)].filter((path) => path !== '');
    const merged: ToolEvent = {
      type: 'tool',
      id,
      kind: KINDS.get(textOf(call['kind'])) ?? before?.kind ?? 'other',
      title: textOf(call['title']) || before?.title || 'Tool',
      status: STATUSES.get(textOf(call['status'])) ?? before?.status ?? 'running',
      // A call that names more paths later still is about the earlier ones. One path too many tells a decision that there are more.
      paths: [...new Set([...(before?.paths ?? []), ...paths])].slice(0, MOST_PATHS + 1),
    };
    calls.set(id, merged);
    if (call['rawInput'] !== undefined) inputs.set(id, shown([JSON.stringify(call['rawInput'], undefined, 2)]));
    const stated = changesIn(call['content']);
    if (stated.length > 0) changes.set(id, shown(stated));
    if (calls.size > MOST_CALLS) {
      for (const oldest of [...calls.keys()].slice(0, 1)) {
        calls.delete(oldest);
        inputs.delete(oldest);
        changes.delete(oldest);
      }
    }
    return diff ? { ...merged, diff } : merged;
  }

  return {
    read(given) {
      const update = fieldsOf(given);
      switch (update['sessionUpdate']) {
        case 'agent_message_chunk':
          return message(update['content']);
        case 'agent_thought_chunk':
          return [{ type: 'thought', text: textOf(fieldsOf(update['content'])['text']) }];
        case 'tool_call':
          isNew = true;
          return [tool(update)];
        case 'tool_call_update':
          return [tool(update)];
        case 'plan':
          return [{ type: 'plan', steps: itemsOf(update['entries']).map(stepOf) }];
        case 'usage_update': {
          const usage = costIn(update['cost']);
          return usage ? [{ type: 'usage', ...usage }] : [];
        }
        case 'user_message_chunk':
        case 'available_commands_update':
        case 'current_mode_update':
        case 'config_option_update':
        case 'session_info_update':
          return [];
        default:
          return [{ type: 'raw', because: 'unknown', text: JSON.stringify(given) ?? '' }];
      }
    },
    tool,
    details(call) {
      const id = idOf(fieldsOf(call));
      const known = [inputs.get(id), changes.get(id)].filter((one) => one !== undefined);
      return {
        details: known.map((one) => one.text).join('\n'),
        whole: contentHash(known.map((one) => one.hash)),
      };
    },
    answer: () => last,
  };
}

/** The usage in the response to a prompt, which some agents state. */
export function usageIn(response: unknown): AgentUsage | undefined {
  const usage = fieldsOf(fieldsOf(response)['usage']);
  const [inputTokens, outputTokens] = [countOf(usage['inputTokens']), countOf(usage['outputTokens'])];
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const thoughts = countOf(usage['thoughtTokens']) ?? 0;
  const total = countOf(usage['totalTokens']) ?? 0;
  const output = Math.max((outputTokens ?? 0) + thoughts, total - (inputTokens ?? 0));
  return { inputTokens, outputTokens: output, cachedTokens: countOf(usage['cachedReadTokens']) };
}

// --- internal ---

/** A text for people, which is cut, and the hash of all of it. */
interface Shown {
  readonly text: string;
  readonly hash: string;
}

function shown(parts: readonly string[]): Shown {
  const each = Math.max(LEAST_DETAILS, Math.floor(MOST_DETAILS / parts.length));
  const text = parts.map((part) => cutEnd(part, each)).join('\n');
  return { text: cutEnd(text, MOST_DETAILS), hash: contentHash(parts) };
}

/** The id of a call. */
function idOf(call: Fields): string {
  return textOf(call['toolCallId']).slice(0, 200);
}

const MOST_CALLS = 1000;
const MOST_DETAILS = 8000;
/** Fewest characters of each change, if there are many. */
const LEAST_DETAILS = 400;

const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>(
  (['read', 'search', 'edit', 'delete', 'move', 'execute', 'fetch', 'think'] as const).map((kind) => [kind, kind]),
);

const STATUSES: ReadonlyMap<string, ToolEvent['status']> = new Map<string, ToolEvent['status']>([
  ['pending', 'running'],
  ['in_progress', 'running'],
  ['completed', 'done'],
  ['failed', 'failed'],
]);

function stepOf(entry: unknown): PlanStep {
  const { content, status } = fieldsOf(entry);
  return {
    text: textOf(content),
    status: status === 'completed' ? 'done' : status === 'in_progress' ? 'running' : 'pending',
  };
}

function diffsIn(content: unknown): readonly NonNullable<ToolEvent['diff']>[] {
  return itemsOf(content)
    .map(fieldsOf)
    .filter((one) => one['type'] === 'diff')
    .map((one) => ({ path: textOf(one['path']), before: textOf(one['oldText']), after: textOf(one['newText']) }));
}

/** The changes of files that a call states, in words. */
function changesIn(content: unknown): readonly string[] {
  return diffsIn(content).map(
    ({ path, before, after }) => `Change of ${path}\n${marked('-', before)}${marked('+', after)}`,
  );
}

/** The lines of a text after a mark; empty if there is none. */
function marked(mark: string, text: string): string {
  return text === '' ? '' : `${text.replaceAll(/^/gmu, `${mark} `)}\n`;
}

/** The cost so far, if it is in dollars. */
function costIn(given: unknown): AgentUsage | undefined {
  const cost: Fields = fieldsOf(given);
  const amount = countOf(cost['amount']);
  return amount !== undefined && textOf(cost['currency']).toUpperCase() === 'USD' ? { costUsd: amount } : undefined;
}
