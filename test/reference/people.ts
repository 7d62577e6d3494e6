/**
 * People who decide about phases that wait (rules 9, 31, 32 and 33).
 *
 * @module
 */
import { endRun, skip } from './ending.ts';
import { answerLater, CLOCK, openItem, PERSON } from './inbox.ts';
import { routed } from './issues.ts';
import type { Demanding, Verdict } from './review.ts';
import type { Call, PersonAct } from './scenario.ts';
import { namesAbove } from './targets.ts';
import { nextCall, type Phase, type World } from './world.ts';

/** Has a person decide about a phase that waits for one. */
export function askPerson(world: World, phase: Phase, decide: (verdict: Verdict, who: string) => void): void {
  const { life } = phase;
  const { nth, delay } = nextCall(world, `person@${phase.name}`);
  const act: Call<PersonAct> = phase.spec.people[nth] ?? { do: 'approve' };
  const item = openItem(world, {
    about: phase.name,
    policy: phase.gate?.inbox ?? world.scenario.inbox,
    isVoid: () => phase.life !== life,
    overdue: () => decide({ type: 'reject' }, CLOCK),
  });
  answerLater(world, item, act.delay ?? delay, () => {
    if (act.do === 'abort') return endRun(world, 'cancelled');
    if (act.do === 'skip') return skip(world, phase, PERSON);
    return decide(verdictOf(world, phase, act), PERSON);
  });
}

// --- internal ---

function verdictOf(world: World, phase: Phase, act: Exclude<PersonAct, { readonly do: 'abort' | 'skip' }>): Verdict {
  switch (act.do) {
    case 'approve': {
      // There is nothing to approve in an attempt that broke off: that answer is refused, and the next is a no.
      const isWhole = phase.isDone || phase.spec.tasks.every(({ name }) => name in (act.outputs ?? {}));
      return isWhole ? { type: 'approve', edited: act.outputs } : { type: 'reject' };
    }
    case 'reject':
      return { type: 'reject' };
    case 'retry':
      return routedDemand(world, phase, { type: 'retry', feedback: act.feedback, issues: act.issues ?? [] });
    case 'rewind': {
      const { feedback, issues = [] } = act;
      return routedDemand(world, phase, { type: 'retryPredecessor', phase: act.phase, feedback, issues });
    }
    case 'reclassify':
      return reclassified(world, phase, act);
  }
}

function routedDemand(world: World, phase: Phase, demand: Demanding): Verdict {
  return (demand.issues ?? []).length === 0 ? demand : routed(world, phase, [demand], namesAbove(phase), false);
}

/** All that is open, one issue of it at another phase, with what the reviewers have said of the attempt. */
function reclassified(
  world: World,
  phase: Phase,
  { nth, phase: owner }: { readonly nth: number; readonly phase: string },
): Verdict {
  const names = [...new Set(phase.findings.map(({ name }) => name))].toSorted();
  const chosen = names[nth % names.length];
  if (chosen === undefined) return { type: 'retry', feedback: 'nothing was found' };
  const issues = phase.findings.flatMap((finding) =>
    finding.name === chosen ? finding.issues.slice(0, 1).map((one) => ({ ...one, phase: owner })) : finding.issues,
  );
  return routedDemand(world, phase, { type: 'retry', feedback: phase.demanded, issues });
}
