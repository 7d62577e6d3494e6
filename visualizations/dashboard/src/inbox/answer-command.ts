/**
 * The command that gives the same answer as a draft.
 *
 * @module
 */
import type { Reply } from '../../../../src/projections/inbox/reply.ts';

/** Writes a reply as the words of a command after `phasegate`; `null` if no single command gives it. */
export function answerCommand(item: string, reply: Reply): readonly string[] | null {
  const flags = flagsOf(reply);
  return flags && ['inbox', 'answer', item, ...flags];
}

// --- internal ---

function flagsOf(reply: Reply): readonly string[] | null {
  switch (reply.type) {
    case 'value':
      return [`--value=${JSON.stringify(reply.value)}`];
    case 'skip':
    case 'abort':
      return [reply.reason === undefined ? `--${reply.type}` : `--${reply.type}=${reply.reason}`];
    case 'decide':
      // Edited outputs come from a file, and issues have no flag.
      return reply.outputs || typeof reply.decision === 'string' || hasIssues(reply.decision)
        ? null
        : flagsOfDecision(reply.decision);
  }
}

type Decision = Exclude<Extract<Reply, { readonly type: 'decide' }>['decision'], string>;

function hasIssues(decision: Decision): boolean {
  return (decision.issues ?? []).length > 0;
}

function flagsOfDecision(decision: Decision): readonly string[] | null {
  switch (decision.type) {
    case 'approve':
      return ['--approve'];
    case 'retry':
      return [`--retry=${decision.feedback}`];
    case 'retryPredecessor':
      // A flag with two words has no form that keeps a leading dash apart.
      return decision.phase.startsWith('-') || decision.feedback.startsWith('-')
        ? null
        : ['--rewind', decision.phase, decision.feedback];
    case 'reject':
    case 'escalate':
      return [`--${decision.type}=${decision.reason}`];
  }
}
