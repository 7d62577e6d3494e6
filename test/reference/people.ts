/**
 * People who decide about waiting phases (rules 9, 31, 32 and 33).
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

/** Lets a person decide about a waiting phase. */
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
      // An interrupted attempt has nothing to approve. That answer is refused, and the next is a rejection.
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

/** Assigns one open issue to another phase, and keeps the other open issues and the feedback of the reviewers. */
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
