/**
 * A server of the Model Context Protocol with one tool: it answers the messages of one client.
 *
 * @module
 */
import { repeatedKey } from '../../llm/call/answer-schema.ts';
import { fieldsOf, textOf } from '../jsonl/json-fields.ts';

/** A tool. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema whose root is an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Takes a call. `problem` is set if its arguments could not be read. */
  call(given: { readonly value: unknown; readonly problem?: string | undefined }): Promise<ToolAnswer>;
}

/** The answer to a call. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Returns the response to a message, as a line of JSON; `undefined` if it needs none. Never rejects, unless the tool does. */
export async function answerTo(line: string, tool: Tool): Promise<string | undefined> {
  const message = messageIn(line);
  if (message === undefined) return response(null, { error: { code: PARSE_ERROR, message: 'Parse error' } });
  const { id, method } = message;
  // Notifications need no response, and this server asks nothing, so that there are no responses to read.
  if (id === undefined || typeof method !== 'string') return undefined;
  const params = fieldsOf(message['params']);
  // Why: docs/decisions/agents.md#why-does-phasegate-speak-mcp-itself
  switch (method) {
    case 'initialize':
      return response(id, { result: greeting(params['protocolVersion']) });
    case 'ping':
      return response(id, { result: {} });
    case 'tools/list': {
      const { name, description, inputSchema } = tool;
      return response(id, { result: { tools: [{ name, description, inputSchema }] } });
    }
    case 'tools/call': {
      if (params['name'] !== tool.name)
        return response(id, {
          error: { code: INVALID_PARAMS, message: `Unknown tool: ${textOf(params['name']).slice(0, 100)}` },
        });
      const repeated = repeatedKey(line);
      const problem =
        repeated === undefined ? undefined : `it has "${repeated}" twice in one object, which is ambiguous`;
      const { text, isError } = await tool.call({ value: params['arguments'] ?? {}, problem });
      return response(id, { result: { content: [{ type: 'text', text }], isError } });
    }
    default:
      return response(id, { error: { code: UNKNOWN_METHOD, message: 'Method not found' } });
  }
}

// --- internal ---

/** Versions of the protocol that begin with `initialize`, latest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const PARSE_ERROR = -32_700;
const UNKNOWN_METHOD = -32_601;
const INVALID_PARAMS = -32_602;

function greeting(asked: unknown) {
  return {
    protocolVersion: VERSIONS.find((version) => version === asked) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'phasegate', version: '1' },
  };
}

function messageIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function response(id: unknown, body: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...body });
}
