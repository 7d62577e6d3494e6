/**
 * Verdicts of scripted models and agents that review.
 *
 * @module
 */
import type { AgentTurn } from '../../agents/agent.ts';
import type { AskRequest } from '../../llm/call/port.ts';

/** Parts of a verdict besides its kind. */
export interface VerdictOptions {
  /** The change that matters most, as one imperative sentence. Needed for `needs_changes` and `retry`. */
  readonly requiredChange?: string | undefined;
  /** The critique, or the reason. @default 'As scripted.' */
  readonly critique?: string | undefined;
  /** Confidence from 0 to 1. @default 1 */
  readonly confidence?: number | undefined;
  readonly score?: number | undefined;
  /** Issues with at least a severity and a description. @default none */
  readonly issues?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** The status of each finding that the reviewer was shown, by its number from 1. @default none */
  readonly priorFindings?:
    readonly { readonly finding: number; readonly status: 'fixed' | 'open' | 'withdrawn' }[] | undefined;
}

/**
 * Makes a step of `scriptedModel` or `scriptedAgent`: a verdict with the nonce of the request.
 *
 * @param kind The kind, as models give it.
 */
export function verdict(
  kind: 'approved' | 'needs_changes' | 'retry' | 'escalate' | 'reject',
  options: VerdictOptions = {},
): (about: AskRequest | AgentTurn) => string {
  const { requiredChange = null, critique = 'As scripted.', confidence = 1, score = null, issues = [] } = options;
  const { priorFindings = [] } = options;
  return (about) =>
    JSON.stringify({
      nonce: nonceIn(about),
      verdict: kind,
      required_change: requiredChange,
      critique,
      conf: confidence,
      score,
      issues,
      prior_findings: priorFindings,
    });
}

// --- internal ---

/** The nonce of a request. The instructions state it first, and the work under review comes after them. */
function nonceIn(about: AskRequest | AgentTurn): string {
  const text = 'prompt' in about ? about.prompt : about.messages.map(({ content }) => content).join('\n');
  return /"nonce": "([\da-f-]{36})"/u.exec(text)?.[1] ?? '';
}
