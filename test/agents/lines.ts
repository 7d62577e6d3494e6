/**
 * Lines of each profile for scripted agents.
 *
 * @module
 */

/** Lines of a profile. */
export interface Lines {
  /** First lines of every turn. */
  readonly begin: readonly object[];
  /** A part of the answer. */
  readonly text: (text: string) => readonly object[];
  /** A whole turn with this answer. */
  readonly done: (text: string) => readonly object[];
  readonly refused: readonly object[];
  /** A whole turn that ends at a limit. */
  readonly limit: readonly object[];
  /** A whole turn that fails with this message. */
  readonly failed: (message: string) => readonly object[];
}

const claudeBegin = [{ type: 'system', subtype: 'init', session_id: 's1', model: 'sonnet', tools: [] }];
const claudeText = (text: string) => [
  { type: 'assistant', session_id: 's1', message: { id: `m-${text.length}`, content: [{ type: 'text', text }] } },
];
const claudeResult = (more: object) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: 's1',
  total_cost_usd: 0.25,
  usage: { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 70, output_tokens: 5 },
  ...more,
});

/** Claude Code. */
export const CLAUDE: Lines = {
  begin: claudeBegin,
  text: claudeText,
  done: (text) => [
    ...claudeBegin,
    ...claudeText(text),
    claudeResult({ subtype: 'success', result: text, stop_reason: 'end_turn' }),
  ],
  refused: [...claudeBegin, claudeResult({ result: 'I cannot help with that.', stop_reason: 'refusal' })],
  limit: [...claudeBegin, claudeResult({ subtype: 'error_max_turns', is_error: true })],
  failed: (message) => [...claudeBegin, claudeResult({ is_error: true, result: message })],
};

const codexBegin = [{ type: 'thread.started', thread_id: 't1' }, { type: 'turn.started' }];
const codexText = (text: string) => [{ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } }];
const codexUsage = { input_tokens: 100, cached_input_tokens: 70, output_tokens: 5, reasoning_output_tokens: 2 };

/** Codex. */
export const CODEX: Lines = {
  begin: codexBegin,
  text: codexText,
  done: (text) => [...codexBegin, ...codexText(text), { type: 'turn.completed', usage: codexUsage }],
  refused: [],
  limit: [
    ...codexBegin,
    { type: 'turn.failed', error: { message: "Codex ran out of room in the model's context window." } },
  ],
  failed: (message) => [...codexBegin, { type: 'error', message }, { type: 'turn.failed', error: { message } }],
};

const geminiBegin = [{ type: 'init', timestamp: '', session_id: 'g1', model: 'gemini-pro' }];
const geminiText = (text: string) => [
  { type: 'message', timestamp: '', role: 'assistant', content: text, delta: true },
];
const geminiStats = { total_tokens: 105, input_tokens: 100, output_tokens: 3, cached: 70, input: 30, tool_calls: 0 };

/** Gemini CLI. */
export const GEMINI: Lines = {
  begin: geminiBegin,
  text: geminiText,
  done: (text) => [...geminiBegin, ...geminiText(text), { type: 'result', status: 'success', stats: geminiStats }],
  refused: [],
  limit: [
    ...geminiBegin,
    { type: 'result', status: 'error', error: { type: 'FatalTurnLimitedError', message: 'Reached max session turns' } },
  ],
  failed: (message) => [...geminiBegin, { type: 'result', status: 'error', error: { type: 'ApiError', message } }],
};

const update = (one: object) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: one } });

/** An update of a session of ACP with a part of the answer. */
export function acpText(text: string): object {
  return update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

/** Any update of a session of ACP. */
export function acpUpdate(one: object): object {
  return update(one);
}
