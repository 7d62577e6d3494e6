/**
 * Rules about work that was sent back: if it received the revision, by which way, and at which length.
 *
 * @module
 */
import { AGENT_COMMAND_REFUSED } from '../../model/events/warning-codes.ts';
import { SMALLEST_PROMPT } from '../../model/revision/prompt.ts';
import { counted, times } from '../../model/values/counts.ts';
import { finding, type Diagnosis } from './diagnosis.ts';
import type { GateHistory } from './gate-history.ts';

/** Reports that tasks read the prompt, but the gate's strategy keeps the revision out of it. */
export function revisionWithheld(gate: GateHistory): Diagnosis | undefined {
  if (gate.gate.strategy !== 'none' || !isMostlyUnread(gate)) return undefined;
  const found = `${share(gate)} read no \`revision\`, and strategy "none" keeps it out of the prompt`;
  const advice = "Use strategy 'feedback', or have the handler read `revision`.";
  return finding(gate, 'REVISION_WITHHELD', 'problem', found, advice, gate.unread);
}

export function revisionUnread(gate: GateHistory): Diagnosis | undefined {
  if (gate.gate.strategy === 'none' || !isMostlyUnread(gate)) return undefined;
  const found = `${share(gate)} read neither \`prompt\` nor \`revision\``;
  const advice = 'Send `prompt` to the model, which has the revision in front; or have the handler read `revision`.';
  return finding(gate, 'REVISION_UNREAD', 'problem', found, advice, gate.unread);
}

/** Reports prompts that handlers make themselves. Records do not show how a handler uses the revision. */
export function promptBypassed(gate: GateHistory): Diagnosis | undefined {
  const { bypassed, revised } = gate;
  if (bypassed.count === 0 || gate.gate.strategy === 'none') return undefined;
  const found = `in ${bypassed.count} of ${counted(revised, 'attempt')} after a demand a model was asked without \`prompt\`, though \`revision\` was read: records do not show if the revision was at the start of its prompt`;
  const advice = 'Send `prompt` to the model, which has the revision in front.';
  return finding(gate, 'PROMPT_BYPASSED', 'notice', found, advice, bypassed);
}

export function outputUnchanged(gate: GateHistory): Diagnosis | undefined {
  const { unchanged, revised } = gate;
  if (unchanged.count === 0) return undefined;
  const severity = unchanged.count * 2 >= revised ? 'problem' : 'notice';
  const found = `${unchanged.count} of ${counted(revised, 'attempt')} after a demand put out what was sent back`;
  const advice =
    'See if its tasks use the revision. These may help: a strategy that shows more of it, or "fresh"; another model; outputs that show the changes.';
  return finding(gate, 'OUTPUT_UNCHANGED', severity, found, advice, unchanged);
}

export function promptGrew(gate: GateHistory): Diagnosis | undefined {
  const { grown, growth, longestPrompt } = gate;
  if (grown.count === 0) return undefined;
  const found = `${times(grown.count)} a prompt had grown past ${growth} times the first, which counts as ${SMALLEST_PROMPT} characters or more; the longest had ${longestPrompt}`;
  const advice = 'Lower `maxRevisionChars`, or use a strategy that carries less, such as "fresh".';
  return finding(gate, 'PROMPT_GREW', 'notice', found, advice, grown);
}

/** Reports agents that tried to do the part of a person. */
export function agentRefused(gate: GateHistory): Diagnosis | undefined {
  const { refused } = gate;
  if (refused.count === 0) return undefined;
  const found = `${times(refused.count)} an agent tried a command that only a person may give, and was refused`;
  const advice = 'Read the warnings, and the work of that agent with them in mind: phasegate events <run>.';
  return finding(gate, AGENT_COMMAND_REFUSED, 'notice', found, advice, refused);
}

// --- internal ---

function isMostlyUnread({ unread, revised }: GateHistory): boolean {
  return unread.count > 0 && unread.count * 2 >= revised;
}

function share({ unread, revised }: GateHistory): string {
  return `${unread.count} of ${counted(revised, 'attempt')} after a demand`;
}
