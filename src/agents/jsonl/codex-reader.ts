/**
 * Lines of Codex.
 *
 * @module
 */
import type { AgentEvent, ToolEvent, ToolKind } from '../agent-event.ts';
import { adviseOn } from '../failure-words.ts';
import { countOf, fieldsOf, itemsOf, textOf, type Fields } from './json-fields.ts';
import { answerText, type AgentEnding, type JsonlReader } from './profile.ts';
import { titleOf } from './tool-calls.ts';

/** Creates the reader of one turn. */
export function codexReader(): JsonlReader {
  let session: string | undefined;
  let last = '';
  let ending: AgentEnding | undefined;

  function failed(message: string): AgentEnding {
    if (FULL.test(message.slice(0, LONGEST))) return { stop: 'limit', text: message.slice(0, LONGEST), session };
    return { stop: 'failed', text: message, advice: adviseOn(message) };
  }

  return {
    read(line) {
      const event = fieldsOf(line);
      switch (event['type']) {
        case 'thread.started':
          session = textOf(event['thread_id']).slice(0, 200);
          return [];
        case 'turn.started':
          return [];
        case 'item.started':
        case 'item.updated':
        case 'item.completed': {
          const item = fieldsOf(event['item']);
          const isCompleted = event['type'] === 'item.completed';
          if (isCompleted && item['type'] === 'agent_message') last = answerText(textOf(item['text']));
          return itemEvents(item, isCompleted, event['type'] === 'item.updated');
        }
        case 'turn.completed':
          ending = { stop: 'done', text: last, session };
          return usageEvents(event);
        case 'turn.failed':
          ending = failed(textOf(fieldsOf(event['error'])['message']));
          return usageEvents(event);
        case 'error':
          // Codex tells lost connections that it restores in the same way as an end.
          return [{ type: 'raw', because: 'error', text: textOf(event['message']) }];
        default:
          return undefined;
      }
    },
    ending: () => ending,
  };
}

// --- internal ---

/** Messages of a session that has no room left. */
const FULL = /context window|context length/iu;
const LONGEST = 4000;

function usageEvents(event: Fields): readonly AgentEvent[] {
  const usage = fieldsOf(event['usage']);
  const [inputTokens, outputTokens] = [countOf(usage['input_tokens']), countOf(usage['output_tokens'])];
  if (inputTokens === undefined && outputTokens === undefined) return [];
  return [{ type: 'usage', inputTokens, outputTokens, cachedTokens: countOf(usage['cached_input_tokens']) }];
}

function itemEvents(item: Fields, isCompleted: boolean, isUpdate: boolean): readonly AgentEvent[] | undefined {
  const text = textOf(item['text']);
  switch (item['type']) {
    case 'agent_message':
      return isCompleted ? [{ type: 'text', text }] : [];
    case 'reasoning':
    case 'plan':
      return isCompleted ? [{ type: 'thought', text }] : [];
    case 'todo_list': {
      const steps = itemsOf(item['items']).map((one) => {
        const { text: step, completed } = fieldsOf(one);
        return { text: textOf(step), status: completed === true ? 'done' : 'pending' } as const;
      });
      return [{ type: 'plan', steps }];
    }
    case 'error':
      return [{ type: 'raw', because: 'error', text: textOf(item['message']) }];
    case 'command_execution': {
      const title = titleOf('Run', textOf(item['command']));
      const denied: readonly AgentEvent[] =
        item['status'] === 'declined' ? [{ type: 'permission', asked: title, answered: 'reject' }] : [];
      return isUpdate ? [] : [...denied, toolEvent(item, 'execute', title, isCompleted)];
    }
    case 'file_change': {
      const paths = itemsOf(item['changes']).map((one) => textOf(fieldsOf(one)['path']));
      return isUpdate
        ? []
        : [toolEvent(item, 'edit', titleOf('Edit', paths.slice(0, 5).join(', ')), isCompleted, paths)];
    }
    case 'mcp_tool_call':
      return isUpdate
        ? []
        : [toolEvent(item, 'other', `${textOf(item['server'])}.${textOf(item['tool'])}`, isCompleted)];
    case 'collab_tool_call':
      return isUpdate ? [] : [toolEvent(item, 'think', titleOf('Agent', textOf(item['tool'])), isCompleted)];
    case 'web_search':
      return isUpdate ? [] : [toolEvent(item, 'fetch', titleOf('Search', textOf(item['query'])), isCompleted)];
    default:
      return undefined;
  }
}

function toolEvent(
  item: Fields,
  kind: ToolKind,
  title: string,
  isCompleted: boolean,
  paths: readonly string[] = [],
): ToolEvent {
  const hasFailed = item['status'] === 'failed' || item['status'] === 'declined';
  const status = !isCompleted ? 'running' : hasFailed ? 'failed' : 'done';
  return { type: 'tool', id: textOf(item['id']), kind, title, status, paths };
}
