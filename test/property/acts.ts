/**
 * Acts of workers and people in a scenario, carried out by the library.
 *
 * @module
 */
import {
  approve,
  escalate,
  formatDecision,
  needsRework,
  reject,
  retry,
  retryPredecessor,
  type Decision,
  type Issue,
  type ReviewFinding,
} from '../../src/index.ts';
import {
  wordsOf,
  type IssueAct,
  type PersonAct,
  type Remarks,
  type ReviewAct,
  type TaskAct,
} from '../reference/scenario.ts';
import { named } from './account.ts';

/** Carries out the act of a task. */
export function perform(act: TaskAct): number {
  switch (act.do) {
    case 'put':
      return act.value;
    case 'throw':
      throw new Error('the task broke');
    case 'rework':
      throw needsRework(act.phase, act.feedback);
  }
}

/** Returns the answer of a reviewer. */
export function answer(act: ReviewAct, findings: readonly ReviewFinding[]): unknown {
  switch (act.do) {
    case 'approve':
      return { ...approve(), ...numbers(act), ...remarksOf(act, findings) };
    case 'retry':
      return { ...retry(act.feedback), ...numbers(act), ...remarksOf(act, findings) };
    case 'rewind':
      if (act.words) return formatDecision(retryPredecessor(act.phase, act.feedback));
      return { ...retryPredecessor(act.phase, act.feedback), ...numbers(act), ...remarksOf(act, findings) };
    case 'reject':
      return { ...reject('not good'), ...remarksOf(act, findings) };
    case 'escalate':
      return { ...escalate('not sure'), ...remarksOf(act, findings) };
    case 'babble':
      return 'Well, it is what it is.';
    case 'malformed':
      return { type: 'perhaps' };
    case 'throw':
      throw Object.assign(new Error('the reviewer broke'), {
        ...(act.lasts && { retryable: false }),
        ...(act.waits !== undefined && { retryAfterMs: act.waits }),
      });
  }
}

/** Returns the decision of a person, for acts that are plain decisions. */
export function decisionOf(act: Exclude<PersonAct, { readonly do: 'skip' | 'abort' | 'reclassify' }>): Decision {
  switch (act.do) {
    case 'approve':
      return approve();
    case 'reject':
      return reject('a person says no');
    case 'retry':
      return { ...retry(act.feedback), ...(act.issues && { issues: act.issues.map(issueOf) }) };
    case 'rewind':
      return { ...retryPredecessor(act.phase, act.feedback), ...(act.issues && { issues: act.issues.map(issueOf) }) };
  }
}

/** Builds an issue as a reviewer or a person writes it. */
function issueOf(act: IssueAct): Issue {
  const { name, severity, phase: affectedPhase } = act;
  return {
    ...(!name.startsWith('w') && { id: name }),
    severity,
    description: wordsOf(act),
    ...(affectedPhase !== undefined && { affectedPhase }),
  };
}

function remarksOf({ issues, priors }: Remarks, findings: readonly ReviewFinding[]): object {
  const idOf = (name: string) => findings.find((one) => entryOf(one).name === name)?.id ?? name;
  return {
    ...(issues && { issues: issues.map(issueOf) }),
    ...(priors && {
      priorFindings: Object.entries(priors).map(([name, status]) => ({ id: idOf(name), status })),
    }),
  };
}

/** Returns the name of a finding in the scenario, and the number of consecutive reviews that found it open. */
export function entryOf({ issues, open }: ReviewFinding): { readonly name: string; readonly open: number } {
  return { name: named(issues)[0]?.name ?? '', open };
}

function numbers(act: { readonly score?: number; readonly confidence?: number }): object {
  return {
    ...(act.score !== undefined && { score: act.score }),
    ...(act.confidence !== undefined && { confidence: act.confidence }),
  };
}
