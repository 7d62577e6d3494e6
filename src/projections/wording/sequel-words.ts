/**
 * The sequel of an answer in words: one sentence about the answer, its effect, and the present state of the run.
 *
 * @module
 */
import type { SequelAnswer } from '../inbox/item-closing.ts';
import type { Choice } from '../inbox/item-choices.ts';
import type { ItemSequel } from '../inbox/item-sequel.ts';
import type { PhaseStatus } from '../run/run-result.ts';

/** A part of the sentence. */
export interface SequelPart {
  readonly text: string;
  /** The phase that the text names; absent for other words. */
  readonly phase?: string | undefined;
}

/**
 * Writes the sentence without a full stop, for example `Sent back to ` + `check` + `; it is running now`. It has no JSON. Its names
 * and reasons are untrusted text.
 */
export function sequelWords(sequel: ItemSequel): readonly SequelPart[] {
  const lead = leadOf(sequel);
  return [...lead, ...followOf(sequel, lead)];
}

/** Says if an answer ends its run, and how. */
export function endText({ answer, run, endsAs = 'completed' }: Pick<Choice, 'answer' | 'run' | 'endsAs'>): string {
  if (run === 'goes on') return 'The run continues.';
  if (run === 'may end') return `The run may end as ${endsAs}.`;
  if (answer === 'abort') return 'The run ends as cancelled: no phase starts, and running work is stopped.';
  return endsAs === 'completed'
    ? 'The run ends as completed: nothing else is left to do.'
    : `The run ends as ${endsAs}.`;
}

// --- internal ---

/** Most characters of an answered value. */
const MOST = 60;

function leadOf(sequel: ItemSequel): readonly SequelPart[] {
  const { answer, isVote, effect, about, reason } = sequel;
  switch (answer) {
    case 'refused':
      return words(`Refused${colon(reason)}`);
    case 'dropped':
      return words(`Not needed any more${colon(reason)}`);
    case 'expired':
      return [...words('Nobody answered in time'), ...afterwards(sequel, ', and ')];
    case 'end':
      return words(`The run ${ENDS[sequel.run]}`);
    case 'lift':
      return words(`The limit ${about} was lifted`);
    case 'value':
      return words(`Answered${valueText(sequel.value)}`);
    case 'approve':
    case 'edit':
    case 'retry':
    case 'rewind':
    case 'reject':
    case 'escalate':
    case 'skip':
      if (isVote && effect === null) return words(`${VOTES[answer]}; the gate has not decided yet`);
      if (isVote && effect !== EFFECTS[answer]) return [...words(VOTES[answer]), ...afterwards(sequel, ', and ')];
      return effect === 'sent back' ? sentBack('Sent back to ', sequel) : words(DECIDED[answer]);
  }
}

/** The effect that each decision has, unless other reviewers or the gate decide otherwise. */
const EFFECTS: Readonly<Record<Decided, ItemSequel['effect']>> = {
  approve: 'approved',
  edit: 'approved',
  retry: 'sent back',
  rewind: 'sent back',
  reject: 'rejected',
  escalate: 'waits for a person',
  skip: 'skipped',
};

const DECIDED: Readonly<Record<Decided, string>> = {
  approve: 'Approved',
  edit: 'Approved with edits',
  retry: 'Sent back',
  rewind: 'Sent back',
  reject: 'Rejected',
  escalate: 'Passed on to somebody else',
  skip: 'Skipped',
};

const VOTES: Readonly<Record<Decided, string>> = {
  approve: 'Voted to approve',
  edit: 'Voted to approve with edits',
  retry: 'Voted to send it back',
  rewind: 'Voted to send back an earlier phase',
  reject: 'Voted to reject',
  escalate: 'Voted to pass it on',
  skip: 'Voted to skip',
};

const ENDS: Readonly<Record<ItemSequel['run'], string>> = {
  running: 'goes on',
  completed: 'is completed',
  rejected: 'has ended as rejected',
  failed: 'has failed',
  cancelled: 'was cancelled',
  exhausted: 'has ended as exhausted',
};

const NOW: Readonly<Record<PhaseStatus, string>> = {
  pending: 'has not started yet',
  running: 'is running now',
  reviewing: 'is in review now',
  retrying: 'is about to run again',
  rewinding: 'waits for the rework of an earlier phase',
  escalated: 'waits for a person',
  approved: 'is approved by now',
  rejected: 'is rejected by now',
  failed: 'has failed since',
  skipped: 'was skipped',
  cancelled: 'was stopped',
};

type Decided = Extract<SequelAnswer, 'approve' | 'edit' | 'retry' | 'rewind' | 'reject' | 'escalate' | 'skip'>;

function afterwards(sequel: ItemSequel, before: string): readonly SequelPart[] {
  switch (sequel.effect) {
    case null:
      return [];
    case 'sent back':
      return sentBack(`${before}the gate has sent it back to `, sequel);
    case 'waits for a person':
      return words(`${before}it waits for a person`);
    case 'approved':
      return words(`${before}the gate has approved it`);
    case 'rejected':
      return words(`${before}it is rejected`);
    case 'skipped':
      return words(`${before}it was skipped`);
    case 'failed':
      return words(`${before}it has failed`);
    case 'cancelled':
      return words(`${before}it was stopped`);
  }
}

function sentBack(before: string, { next }: ItemSequel): readonly SequelPart[] {
  return [
    { text: before },
    ...next.flatMap(({ phase }, at) => [...words(at === 0 ? '' : ' and '), { text: phase, phase }]),
  ];
}

function followOf(sequel: ItemSequel, lead: readonly SequelPart[]): readonly SequelPart[] {
  const { answer, run, next, effect } = sequel;
  if (answer === 'refused' || answer === 'end') return [];
  if (run !== 'running') return words(`; the run ${ENDS[run]}`);
  const shown = next.find(({ status }) => LIVE.has(status)) ?? next[0];
  if (shown === undefined) return effect === null && sequel.isVote ? [] : words('; the run goes on');
  const { phase, status } = shown;
  // The phase that waits has been named as such.
  if (effect === 'waits for a person' && status === 'escalated') return [];
  if (effect === null && sequel.isVote) return [];
  const isOnlyOne = next.length === 1 && lead.some((part) => part.phase === phase);
  if (isOnlyOne) return words(`; it ${NOW[status]}`);
  return [{ text: '; ' }, { text: phase, phase }, { text: ` ${NOW[status]}` }];
}

const LIVE: ReadonlySet<PhaseStatus> = new Set(['running', 'reviewing', 'retrying', 'rewinding', 'escalated']);

function words(text: string): readonly SequelPart[] {
  return text === '' ? [] : [{ text }];
}

function colon(reason: string): string {
  return reason === '' ? '' : `: ${reason}`;
}

/** A short text in quotes, a number or a truth value; '' for anything else. */
function valueText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return ` ${value}`;
  if (typeof value !== 'string' || value === '') return '';
  const line = value.slice(0, MOST).replaceAll(/\s+/gu, ' ').trim();
  return ` “${line}${value.length > MOST ? '…' : ''}”`;
}
