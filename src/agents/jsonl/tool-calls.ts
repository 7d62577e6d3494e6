/**
 * Calls of tools, whose end names the call by its id only.
 *
 * @module
 */
import type { AgentEvent, ToolEvent } from '../agent-event.ts';

/** A call that begins. */
export type ToolCall = Omit<ToolEvent, 'type' | 'status'>;

/** Calls of one turn. */
export interface ToolCalls {
  begin(call: ToolCall): readonly AgentEvent[];
  /** @returns No event if the call is unknown. */
  end(id: string, isDone: boolean): readonly AgentEvent[];
}

/** Creates the calls of one turn. */
export function createToolCalls(): ToolCalls {
  const open = new Map<string, ToolCall>();
  return {
    begin(call) {
      const { diff: _, ...known } = call;
      open.set(call.id, known);
      for (const oldest of open.keys()) {
        if (open.size <= MOST) break;
        open.delete(oldest);
      }
      return [{ type: 'tool', ...call, status: 'running' }];
    },
    end(id, isDone) {
      const call = open.get(id);
      open.delete(id);
      return call ? [{ type: 'tool', ...call, status: isDone ? 'done' : 'failed' }] : [];
    },
  };
}

/** A title: the name of the tool, and its subject if there is one. */
export function titleOf(name: string, about: string): string {
  return about === '' ? name : `${name} ${about.slice(0, 300)}`;
}

// --- internal ---

/** Most calls that are open at once. An agent that begins more loses the ends of the oldest. */
const MOST = 1000;
