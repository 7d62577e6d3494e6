/**
 * A function that plays the model, so that the example runs without a network. It writes and reviews.
 */
import type { Ask, AskReply } from 'phasegate/openai';

export const understudy: Ask = async ({ messages, schema, signal, onDelta }) => {
  signal.throwIfAborted();
  const [system = '', user = ''] = messages.map((one) => one.content);
  const text = JSON.stringify(schema?.name === 'verdict' ? review(system, user) : write(user));
  onDelta(text);
  return { text, usage: usageOf(system + user, text) };
};

// --- internal ---

interface Note {
  readonly headline: string;
  readonly body: string;
}

/** Writes a vague note first, and a precise one after the review has asked for it. */
function write(prompt: string): Note {
  const body = prompt.includes('Name the version')
    ? 'Version 2.0 reads files twice as fast, and no longer runs on Node 18.'
    : 'The new version is much faster!';
  return { headline: 'A faster parser', body };
}

/** Reviews a note by one criterion: it must name the version. */
function review(system: string, work: string) {
  const nonce = /"nonce": "([^"]+)"/u.exec(system)?.[1];
  const isFine = /"body": "[^"]*2\.0/u.test(work);
  return {
    nonce,
    verdict: isFine ? 'approved' : 'needs_changes',
    required_change: isFine ? null : 'Name the version, and what breaks.',
    critique: isFine ? 'It names both.' : 'Readers cannot tell whether it concerns them.',
    conf: 0.9,
    score: isFine ? 90 : 30,
    issues: isFine ? [] : ['It promises without a figure.'],
    prior_findings: isFine ? [{ finding: 1, status: 'fixed' }] : [],
  };
}

/** Estimates usage, with four characters per token. */
function usageOf(asked: string, answered: string): NonNullable<AskReply['usage']> {
  return { inputTokens: Math.ceil(asked.length / 4), outputTokens: Math.ceil(answered.length / 4) };
}
