/**
 * Events of an agent's turn, in the words of no vendor.
 *
 * @module
 */
import { elided } from '../model/values/text-limits.ts';

/** An event of a turn. Texts are cut to the lengths of {@link bounded}. */
export type AgentEvent =
  /** A part of the answer. */
  | { readonly type: 'text'; readonly text: string }
  /** A part of the agent's reasoning. */
  | { readonly type: 'thought'; readonly text: string }
  | ToolEvent
  /** The agent's list of steps, which replaces the one before. */
  | { readonly type: 'plan'; readonly steps: readonly PlanStep[] }
  /** A question for permission, or an action that was denied. */
  | { readonly type: 'permission'; readonly asked: string; readonly answered: 'allow' | 'reject' }
  /** The total usage of the turn so far. */
  | ({ readonly type: 'usage' } & AgentUsage)
  /** A line or a message that is none of these. The turn goes on. */
  | { readonly type: 'raw'; readonly because: RawCause; readonly text: string };

/** A call of a tool. The same `id` comes again when its status changes. */
export interface ToolEvent {
  readonly type: 'tool';
  readonly id: string;
  readonly kind: ToolKind;
  /** One line for people, such as `Edit src/a.ts`. */
  readonly title: string;
  readonly status: 'running' | 'done' | 'failed';
  /** Paths that it is about, as the agent states them. */
  readonly paths: readonly string[];
  /** The change of a file, if the agent states it. */
  readonly diff?: { readonly path: string; readonly before: string; readonly after: string } | undefined;
}

/** Kinds of tools. */
export type ToolKind = 'read' | 'search' | 'edit' | 'delete' | 'move' | 'execute' | 'fetch' | 'think' | 'other';

/** One step of an agent's plan. */
export interface PlanStep {
  readonly text: string;
  readonly status: 'pending' | 'running' | 'done';
}

/** Usage of a turn, as far as the agent states it. */
export interface AgentUsage {
  /** Tokens of all requests, including cached ones. */
  readonly inputTokens?: number | undefined;
  /** Tokens of all answers, including reasoning. */
  readonly outputTokens?: number | undefined;
  /** The input tokens that came from a cache. */
  readonly cachedTokens?: number | undefined;
  /** US dollars. */
  readonly costUsd?: number | undefined;
  readonly model?: string | undefined;
}

/** The reason of a raw event: an unknown form, no JSON, more bytes than a line may have, or an error that the agent tells and survives. */
export type RawCause = 'unknown' | 'notJson' | 'tooLong' | 'error';

/** Cuts every text of an event to its longest length, and every list to its most entries. */
export function bounded(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'text':
    case 'thought':
      return { ...event, text: elided(event.text, LONGEST.text) };
    case 'tool':
      return {
        ...event,
        id: elided(event.id, LONGEST.id),
        title: elided(oneLine(event.title), LONGEST.title),
        paths: event.paths.slice(0, MOST.paths).map((path) => elided(path, LONGEST.path)),
        ...(event.diff && {
          diff: {
            path: elided(event.diff.path, LONGEST.path),
            before: elided(event.diff.before, LONGEST.text),
            after: elided(event.diff.after, LONGEST.text),
          },
        }),
      };
    case 'plan':
      return {
        ...event,
        steps: event.steps.slice(0, MOST.steps).map((step) => ({ ...step, text: elided(step.text, LONGEST.title) })),
      };
    case 'permission':
      return { ...event, asked: elided(oneLine(event.asked), LONGEST.title) };
    case 'usage':
      return event.model === undefined ? event : { ...event, model: elided(event.model, LONGEST.id) };
    case 'raw':
      return { ...event, text: elided(event.text, LONGEST.raw) };
  }
}

// --- internal ---

/** Most characters, by the kind of text. */
const LONGEST = { text: 50_000, title: 300, path: 1000, id: 200, raw: 4000 } as const;
/** Most entries, by the kind of list. */
const MOST = { paths: 50, steps: 100 } as const;

/** A title in one line. A long one is cut first, so that spaces are looked for in little text only. */
function oneLine(text: string): string {
  return elided(text, LONGEST.text).replaceAll(/\s+/gu, ' ').trim();
}
