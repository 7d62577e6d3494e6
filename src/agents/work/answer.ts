/**
 * The value in an agent's answer: as the agent has read it, or as JSON in its text.
 *
 * @module
 */
import type { AnswerForm } from '../../llm/call/answer-schema.ts';
import type { AgentResult } from '../agent.ts';

/** The instruction for an answer of a form. */
export function formText({ schema }: AnswerForm): string {
  return `When the work is done, end your last message with one JSON value in a code fence (\`\`\`json), which this JSON Schema describes:\n${JSON.stringify(schema.schema)}`;
}

/** The text that has the value: that of the agent, else of the last closed code fence of JSON, else the whole text. */
export function jsonIn({ text, value }: Pick<AgentResult, 'text' | 'value'>): string {
  if (value !== undefined) return JSON.stringify(value);
  return lastBlock(text) ?? text;
}

/** The first line of the error of reading an answer; `undefined` if it can be read. */
export function problemIn(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  }
}

// --- internal ---

/** The content of the last code fence that is closed and is of JSON. A fence within a longer one is text. */
function lastBlock(text: string): string | undefined {
  let open: { readonly marks: string; readonly isJson: boolean; readonly from: number } | undefined;
  let found: string | undefined;
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, Math.min(end, start + LONGEST_FENCE)).trim();
    const marks = /^(?:`{3,40}|~{3,40})/u.exec(line)?.[0];
    if (marks !== undefined && open === undefined) {
      const info = line.slice(marks.length).trim().toLowerCase();
      open = { marks, isJson: info === '' || info === 'json', from: Math.min(end + 1, text.length) };
    } else if (open && marks === line && marks.startsWith(open.marks)) {
      if (open.isJson) found = text.slice(open.from, start);
      open = undefined;
    }
    start = end + 1;
  }
  return found;
}

/** Most characters of a line that are looked at for a fence. */
const LONGEST_FENCE = 200;
