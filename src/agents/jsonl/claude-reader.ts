/**
 * Lines of Claude Code.
 *
 * @module
 */
import type { AgentEvent, AgentUsage, PlanStep, ToolKind } from '../agent-event.ts';
import { adviseOn, delayUntil, type FailureAdvice } from '../failure-words.ts';
import { countOf, fieldsOf, itemsOf, shortText, sumOf, textOf, type Fields } from './json-fields.ts';
import { createMessageUsage } from './message-usage.ts';
import { answerText, type AgentEnding, type JsonlReader } from './profile.ts';
import { createToolCalls, titleOf } from './tool-calls.ts';

/** Creates the reader of one turn. */
export function claudeReader(): JsonlReader {
  const tools = createToolCalls();
  const usage = createMessageUsage();
  let session: string | undefined;
  let last = '';
  let failure: string | undefined;
  let endsAt: number | undefined;
  let ending: AgentEnding | undefined;

  function assistant(line: Fields): readonly AgentEvent[] {
    const message = fieldsOf(line['message']);
    const error = textOf(line['error']);
    if (error !== '') failure = error;
    const total = usage.add(textOf(message['id']), usageIn(message['usage']), textOf(message['model']));
    return [...itemsOf(message['content']).flatMap(contentEvents), ...(total ? [total] : [])];
  }

  function contentEvents(content: unknown): readonly AgentEvent[] {
    const block = fieldsOf(content);
    switch (block['type']) {
      case 'text':
        last = answerText(textOf(block['text']));
        return [{ type: 'text', text: textOf(block['text']) }];
      case 'thinking':
        return [{ type: 'thought', text: textOf(block['thinking']) }];
      case 'tool_use':
        return toolUse(textOf(block['id']), textOf(block['name']), fieldsOf(block['input']));
      case 'tool_result':
        return tools.end(textOf(block['tool_use_id']), block['is_error'] !== true);
      default:
        return [];
    }
  }

  function toolUse(id: string, name: string, input: Fields): readonly AgentEvent[] {
    if (name === 'TodoWrite') return [{ type: 'plan', steps: itemsOf(input['todos']).map(stepOf) }];
    const path = ['file_path', 'notebook_path', 'path'].map((key) => textOf(input[key])).find((one) => one !== '');
    const about = ['command', 'pattern', 'url', 'query', 'description'].map((key) => textOf(input[key]));
    const kind = KINDS.get(name) ?? 'other';
    const title = titleOf(name, path ?? about.find((one) => one !== '') ?? '');
    const [before, after] = [input['old_string'], input['new_string'] ?? input['content']];
    const isChange = kind === 'edit' && path !== undefined && typeof after === 'string';
    const diff = isChange ? { path, before: textOf(before), after } : undefined;
    return tools.begin({ id, kind, title, paths: path === undefined ? [] : [path], ...(diff && { diff }) });
  }

  function result(line: Fields): readonly AgentEvent[] {
    ending = endingOf(line);
    const denied = itemsOf(line['permission_denials']).map((one): AgentEvent => {
      const { tool_name: name, tool_input: input } = fieldsOf(one);
      return { type: 'permission', asked: titleOf(textOf(name), shortText(input)), answered: 'reject' };
    });
    const { costUsd, ...tokens } = totalOf(line);
    return [...denied, usage.total({ ...tokens, ...(costUsd !== undefined && { costUsd }) })];
  }

  function endingOf(line: Fields): AgentEnding {
    const subtype = textOf(line['subtype']);
    const said = textOf(line['result']);
    const text = answerText(said === '' ? last : said);
    const value = line['structured_output'];
    const base = { text, session, ...(value !== undefined && value !== null && { value }) };
    if (LIMITS.has(subtype)) return { ...base, text: subtype, stop: 'limit' };
    if (subtype !== 'success' || line['is_error'] === true) {
      const errors = itemsOf(line['errors']).map((one) => textOf(one));
      const message = [subtype === 'success' ? '' : subtype, said, ...errors, failure ?? ''];
      const found = message.filter((one) => one !== '').join(': ');
      return { stop: 'failed', text: found, advice: adviceFor(found, countOf(line['api_error_status'])) };
    }
    switch (line['stop_reason']) {
      case 'refusal':
        return { ...base, stop: 'refused' };
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return { ...base, text: textOf(line['stop_reason']), stop: 'limit' };
      default:
        return { ...base, stop: 'done' };
    }
  }

  function adviceFor(message: string, status: number | undefined): FailureAdvice {
    const advice = adviseOn(message, status);
    const left = endsAt === undefined ? undefined : delayUntil(endsAt);
    return advice.retryable && left !== undefined ? { ...advice, retryAfterMs: left } : advice;
  }

  return {
    read(line) {
      const event = fieldsOf(line);
      const id = textOf(event['session_id']);
      if (id !== '') session = id.slice(0, 200);
      switch (event['type']) {
        case 'assistant':
          return assistant(event);
        case 'user':
          return itemsOf(fieldsOf(event['message'])['content']).flatMap(contentEvents);
        case 'result':
          return result(event);
        case 'rate_limit_event': {
          const info = fieldsOf(event['rate_limit_info']);
          if (info['status'] === 'rejected') endsAt = countOf(info['resetsAt']);
          return [];
        }
        case 'system':
          return event['subtype'] === 'init' ? [] : undefined;
        default:
          return undefined;
      }
    },
    ending: () => ending,
  };
}

// --- internal ---

/** Results of limits that its user has set. */
const LIMITS = new Set(['error_max_turns', 'error_max_budget_usd']);

const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['LS', 'read'],
  ['Glob', 'search'],
  ['Grep', 'search'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Write', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Bash', 'execute'],
  ['WebFetch', 'fetch'],
  ['WebSearch', 'fetch'],
  ['Task', 'think'],
  ['Agent', 'think'],
]);

function stepOf(todo: unknown): PlanStep {
  const { content, status } = fieldsOf(todo);
  return {
    text: textOf(content),
    status: status === 'completed' ? 'done' : status === 'in_progress' ? 'running' : 'pending',
  };
}

/** The usage of one request. Its input tokens are those that no cache had. */
function usageIn(value: unknown): AgentUsage {
  const usage = fieldsOf(value);
  const cachedTokens = countOf(usage['cache_read_input_tokens']);
  const parts = [countOf(usage['input_tokens']), countOf(usage['cache_creation_input_tokens']), cachedTokens];
  return { inputTokens: sumOf(parts), outputTokens: countOf(usage['output_tokens']), cachedTokens };
}

/** The usage of the whole turn: of all models, if they are listed, as helpers of the agent have models of their own. */
function totalOf(line: Fields): AgentUsage {
  const costUsd = countOf(line['total_cost_usd']);
  const models = Object.values(fieldsOf(line['modelUsage'])).map(fieldsOf);
  if (models.length === 0) return { ...usageIn(line['usage']), costUsd };
  const sum = (...names: readonly string[]) => sumOf(models.flatMap((one) => names.map((name) => countOf(one[name]))));
  return {
    inputTokens: sum('inputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'),
    outputTokens: sum('outputTokens'),
    cachedTokens: sum('cacheReadInputTokens'),
    costUsd,
  };
}
