/**
 * Lines of Gemini CLI.
 *
 * @module
 */
import type { AgentEvent, AgentUsage, ToolKind } from '../agent-event.ts';
import { adviseOn } from '../failure-words.ts';
import { countOf, fieldsOf, textOf, type Fields } from './json-fields.ts';
import { answerText, type AgentEnding, type JsonlReader } from './profile.ts';
import { createToolCalls, titleOf } from './tool-calls.ts';

/** Creates the reader of one turn. */
export function geminiReader(): JsonlReader {
  const tools = createToolCalls();
  let session: string | undefined;
  let model: string | undefined;
  let error = '';
  /** The message since the last call of a tool: the answer, if no call follows. */
  let last = '';
  let isNew = true;
  let ending: AgentEnding | undefined;

  function message(content: string): readonly AgentEvent[] {
    last = answerText(isNew ? content : last + content);
    isNew = false;
    return [{ type: 'text', text: content }];
  }

  function toolUse(line: Fields): readonly AgentEvent[] {
    isNew = true;
    const [name, input] = [textOf(line['tool_name']), fieldsOf(line['parameters'])];
    const path = ['file_path', 'absolute_path', 'dir_path', 'path'].map((key) => textOf(input[key])).find(isGiven);
    const about = ['command', 'pattern', 'query', 'prompt'].map((key) => textOf(input[key])).find(isGiven);
    const title = titleOf(name, path ?? about ?? '');
    const paths = path === undefined ? [] : [path];
    return tools.begin({ id: textOf(line['tool_id']), kind: KINDS.get(name) ?? 'other', title, paths });
  }

  function endingOf(line: Fields): AgentEnding {
    if (line['status'] === 'success') return { stop: 'done', text: last, session };
    const { type, message: said } = fieldsOf(line['error']);
    const text = [textOf(type), textOf(said) || error].filter(isGiven).join(': ');
    if (LIMIT.test(text.slice(0, LONGEST))) return { stop: 'limit', text: text.slice(0, LONGEST), session };
    return { stop: 'failed', text, advice: adviseOn(text) };
  }

  return {
    read(value) {
      const line = fieldsOf(value);
      switch (line['type']) {
        case 'init':
          session = textOf(line['session_id']).slice(0, 200);
          model = textOf(line['model']).slice(0, 200) || undefined;
          return [];
        case 'message':
          return line['role'] === 'assistant' ? message(textOf(line['content'])) : [];
        case 'tool_use':
          return toolUse(line);
        case 'tool_result':
          return tools.end(textOf(line['tool_id']), line['status'] === 'success');
        case 'error':
          if (line['severity'] !== 'warning') error = textOf(line['message']);
          return [{ type: 'raw', because: 'error', text: textOf(line['message']) }];
        case 'result': {
          ending = endingOf(line);
          const usage = usageIn(line['stats']);
          return usage ? [{ type: 'usage', ...usage, model }] : [];
        }
        default:
          return undefined;
      }
    },
    ending: () => ending,
  };
}

// --- internal ---

const LIMIT = /max(?:imum)? session turns|turn ?limit|context window/iu;
const LONGEST = 4000;

const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['list_directory', 'read'],
  ['glob', 'search'],
  ['grep_search', 'search'],
  ['search_file_content', 'search'],
  ['write_file', 'edit'],
  ['replace', 'edit'],
  ['run_shell_command', 'execute'],
  ['web_fetch', 'fetch'],
  ['google_web_search', 'fetch'],
]);

/** The usage. Tokens of reasoning are in the total only. */
function usageIn(value: unknown): AgentUsage | undefined {
  const stats = fieldsOf(value);
  const [total, input, output] = [stats['total_tokens'], stats['input_tokens'], stats['output_tokens']].map(countOf);
  if (input === undefined || (output === undefined && total === undefined)) return undefined;
  const outputTokens = Math.max(output ?? 0, (total ?? 0) - input);
  return { inputTokens: input, outputTokens, cachedTokens: countOf(stats['cached']) };
}

function isGiven(text: string): boolean {
  return text !== '';
}
