/**
 * Reports of a task, made of the events of an agent.
 *
 * @module
 */
import type { Report } from '../../model/handlers/task.ts';
import { createPieceMask, maskKnown } from '../../model/values/known-secrets.ts';
import type { AgentEvent, AgentUsage } from '../agent-event.ts';

/** Reports of one turn. */
export interface TurnReports {
  take(event: AgentEvent): void;
}

/** Creates the reports of a turn. @param provider Provider of the agent's model. */
export function createTurnReports(report: (report: Report) => void, provider: string | undefined): TurnReports {
  const reported = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  const mask = createPieceMask();
  let length = 0;
  let tail = '';
  let nextLength = 1;
  let lines = 0;
  let nextLine = 0;

  function text(piece: string): void {
    const safe = mask.push(piece);
    length += safe.length;
    tail = (tail + safe).slice(-TAIL);
    if (length < nextLength) return;
    nextLength = length + Math.max(STEP, length / 4);
    const latest = tail.replaceAll(/\s+/gu, ' ').trim();
    if (latest !== '') report({ progress: `${length > TAIL ? '…' : ''}${latest}` });
  }

  /** Reports a line. After the first hundred, one for each eighth by which their number grows, as each is a record. */
  function line(words: string): void {
    lines += 1;
    if (lines < nextLine) return;
    if (lines > EVERY) nextLine = lines + Math.ceil(lines / 8);
    report({ progress: maskKnown(words) });
  }

  function usage({ inputTokens, outputTokens, costUsd, model }: AgentUsage): void {
    const more = {
      inputTokens: grown('inputTokens', inputTokens),
      outputTokens: grown('outputTokens', outputTokens),
      costUsd: grown('costUsd', costUsd),
    };
    const known = Object.entries(more).filter(([, amount]) => amount > 0);
    // An amount that is not reported is charged by its estimate, so that of 0 is left out.
    if (known.length > 0) report({ ...Object.fromEntries(known), model, provider });
  }

  /** The part of a total that was not reported yet. A total that cannot be added up is not kept. */
  function grown(name: keyof typeof reported, total: number | undefined): number {
    const more = Math.max(0, (Number(total) || 0) - reported[name]);
    if (more <= Number.MAX_SAFE_INTEGER) reported[name] += more;
    return more;
  }

  return {
    take(event) {
      switch (event.type) {
        case 'text':
          text(event.text);
          return;
        case 'tool':
          if (event.status !== 'done') line(event.status === 'failed' ? `failed: ${event.title}` : event.title);
          return;
        case 'permission':
          line(`${event.answered === 'allow' ? 'allowed' : 'not allowed'}: ${event.asked}`);
          return;
        case 'usage':
          usage(event);
          return;
        case 'thought':
        case 'plan':
        case 'raw':
          return;
      }
    },
  };
}

// --- internal ---

/** Characters by which the answer must grow before the next report, and characters that a report shows. */
const STEP = 200;
const TAIL = 80;
/** Lines that are all reported. */
const EVERY = 100;
