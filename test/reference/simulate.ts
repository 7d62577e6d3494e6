/**
 * A second implementation of a run, as a plain loop over virtual time.
 *
 * It was written from `docs/semantics.md` alone. The numbers in comments are its rules.
 *
 * @module
 */
import { runTasks, type Attempted } from './attempt.ts';
import { lookBefore, settleChecks } from './baseline.ts';
import { endRun, fail, reject } from './ending.ts';
import { find, latest, overrule } from './findings.ts';
import type { Told } from './issues.ts';
import { judge, signsOf, type DecidedBy } from './judge.ts';
import { commit, outputsOf } from './ledger.ts';
import { holdPhase, holdRun, isWornOut, refusal } from './limits.ts';
import { labels, type Details } from './line.ts';
import { askPerson } from './people.ts';
import { askReview, waitOf, type Answers, type Verdict } from './review.ts';
import { hasRoom, isPlaced, mayStart } from './places.ts';
import { compare, recordText, startOver } from './repeats.ts';
import { look, settleStopped } from './reservations.ts';
import { countDemand, isExcused, rewind, ridersOf } from './rewind.ts';
import { LONGEST_REVIEW_BACKOFF, REVIEW_BACKOFF, type IssueAct, type Scenario } from './scenario.ts';
import { at, createWorld, later, say, type Phase, type World } from './world.ts';

/** The expectations of the reference for a run. */
export interface Expected {
  readonly lines: readonly string[];
  /** Findings that reviewers were shown. */
  readonly shown: readonly string[];
  /** The number of corrections, counted by phase. */
  readonly corrections: number;
  /** True if two timers fired at the same time: the scenario proves nothing. */
  readonly collided: boolean;
  /** True if the run ended. */
  readonly ended: boolean;
}

/** Simulates a run of the scenario, event for event. @param kept True if it has a store. */
export function simulate(scenario: Scenario, kept = false): Expected {
  const world = createWorld(scenario, kept);
  if (scenario.cancelAt !== undefined) world.agenda.after(scenario.cancelAt, () => endRun(world, 'cancelled'));
  say(world, 'run.started', '');
  startFree(world);
  while (world.ended === undefined && world.agenda.step()) startFree(world);
  return {
    lines: world.lines,
    shown: world.shown,
    corrections: world.corrections,
    collided: world.agenda.collided(),
    ended: world.ended !== undefined,
  };
}

// --- internal ---

/** Starts ready phases in order, as long as there are slots (rules 1 and 2), and ends a finished run (rule 20). */
function startFree(world: World): void {
  if (world.ended !== undefined) return;
  look(world);
  if (world.ended !== undefined) return;
  const free = world.phases.filter(mayStart);
  world.queue = world.queue.filter((phase) => free.includes(phase));
  world.queue.push(...free.filter((phase) => !world.queue.includes(phase)));
  while (world.held.size === 0 && world.ended === undefined) {
    const next = world.queue.find((phase) => isPlaced(phase) || hasRoom(world));
    if (!next) break;
    if (next.status === 'returning') {
      world.queue.splice(world.queue.indexOf(next), 1);
      attemptAgain(world, next);
    } else if (isWornOut(world, next) && next.status === 'rewinding') {
      world.queue.splice(world.queue.indexOf(next), 1);
      // The phase does not start afresh: a person decides about its present outputs.
      next.fresh = false;
      next.untold = next.untold.filter((demand) => demand.from !== next.name);
      if (holdPhase(world, next, 'attemptsPerPhase', next.name)) escalate(world, next, 'limit');
    } else if (isWornOut(world, next)) {
      holdRun(world, 'attemptsPerPhase', next.attempts, world.scenario.limits.attemptsPerPhase ?? 0);
    } else {
      world.queue.splice(world.queue.indexOf(next), 1);
      start(world, next);
    }
  }
  while (world.begin.length > 0 && world.ended === undefined) world.begin.shift()?.();
  settleStopped(world);
  if (world.ended !== undefined) return;
  const isLive = world.phases.some((phase) => phase.status === 'working' || phase.status === 'escalated');
  if (isLive || world.queue.length > 0) return;
  const is = (status: string) => world.phases.some((phase) => phase.status === status);
  endRun(world, is('failed') ? 'failed' : is('rejected') ? 'rejected' : 'completed');
}

/** Starts a phase by rules 3, 14, 15 and 17. */
function start(world: World, phase: Phase): void {
  phase.told = [...phase.told, ...phase.untold];
  phase.untold = [];
  startOver(world, phase);
  phase.attempt = phase.fresh ? Math.min(1, phase.told.length) : phase.attempt + 1;
  phase.latest = latest(world, phase);
  phase.fresh = false;
  phase.retries = 0;
  phase.failedBefore = undefined;
  phase.tried = [];
  phase.reads = new Map([...phase.above].map((one) => [one.name, one.commits.length]));
  phase.asked = new Set(phase.spec.after);
  phase.parts = new Map();
  phase.isSeenByPerson = false;
  phase.status = 'working';
  work(
    world,
    phase,
    phase.told.length === 0 ? null : phase.told.map((one) => one.feedback).join('\n\n'),
    phase.told.flatMap((one) => one.issues),
  );
}

function work(world: World, phase: Phase, told: string | null, issues: readonly IssueAct[]): void {
  phase.attempts++;
  phase.status = 'working';
  phase.isDone = false;
  phase.demanded = '';
  phase.heard = new Map();
  say(world, 'phase.started', phase.name, { ...at(phase), told, ...labels(issues) });
  const end = (attempted: Attempted): void => {
    switch (attempted.type) {
      case 'failed':
        return fail(world, phase, attempted.code);
      case 'rework':
        phase.unchanged = 0;
        return decide(
          world,
          phase,
          { type: 'retryPredecessor', phase: attempted.target, feedback: attempted.feedback },
          'worker',
        );
      case 'done':
        phase.isDone = true;
        compare(world, phase, attempted.outputs);
        phase.tried.push({ outputs: attempted.outputs, score: undefined });
        if (!phase.gate || isExcused(phase)) return commit(world, phase, 'unreviewed', attempted.outputs);
        return review(world, phase, 1, new Map());
    }
  };
  world.begin.push(() => lookBefore(world, phase, () => runTasks(world, phase, end)));
}

function review(world: World, phase: Phase, asked: number, known: Answers, least = 0): void {
  const { gate } = phase;
  if (!gate) return;
  say(world, 'review.started', phase.name, { ...at(phase), asked });
  const ask = (): void =>
    askReview(world, phase, gate, known, asked === 1, (verdict, answers) =>
      decide(world, phase, verdict, 'gate', asked, answers),
    );
  if (asked === 1) ask();
  else later(world, phase, Math.min(LONGEST_REVIEW_BACKOFF, Math.max(REVIEW_BACKOFF, least)), ask);
}

/** Records a verdict and carries out its consequence. */
function decide(
  world: World,
  phase: Phase,
  verdict: Verdict,
  by: DecidedBy,
  asked = 1,
  answers: Answers = new Map(),
  who?: string,
): void {
  const edited = verdict.type === 'approve' ? verdict.edited : undefined;
  const extra = {
    ...(who !== undefined && { who }),
    ...(edited && { edited }),
    ...(verdict.type === 'retry' && verdict.checks && { failed: verdict.checks }),
  };
  say(world, 'review.decided', phase.name, { ...at(phase), verdict: verdict.type, by, ...extra });
  phase.demanded = 'feedback' in verdict ? verdict.feedback : '';
  if (by === 'gate') phase.heard = answers;
  const last = phase.tried.at(-1);
  if (last && by === 'gate' && 'score' in verdict) last.score = verdict.score;
  const isAccepted = by === 'gate' && find(phase, verdict, answers);
  recordText(world, phase, verdict, by);
  if (by === 'person') overrule(phase, verdict);
  const signs = signsOf(world, phase, verdict, by);
  if (signs.loop) say(world, 'loop.detected', phase.name, { ...at(phase), kind: signs.loop });
  if (signs.isAstray) say(world, 'phase.warned', phase.name, { ...at(phase), code: 'ISSUE_ASTRAY' });
  const judgement = judge(world, phase, verdict, by, asked);
  switch (judgement.to) {
    case 'askAgain':
      return review(world, phase, asked + 1, answers, waitOf(verdict));
    case 'approved':
      if (isAccepted) say(world, 'phase.warned', phase.name, { ...at(phase), code: 'ISSUES_ACCEPTED' });
      if ('warning' in judgement) say(world, 'phase.warned', phase.name, { ...at(phase), code: judgement.warning });
      settleChecks(phase, judgement.because);
      return commit(world, phase, judgement.because, { ...outputsOf(phase, judgement.because), ...edited });
    case 'retrying':
      return sendBack(world, phase, judgement.told, [], by);
    case 'rewinding':
      return sendBack(world, phase, judgement.told, judgement.riders, by);
    case 'rejected':
      return reject(world, phase);
    case 'escalated':
      return escalate(world, phase, judgement.because);
    case 'failed':
      return fail(world, phase, judgement.code);
  }
}

/** Sends the phase itself or an earlier one back, unless a limit forbids it (rules 11, 12, 21 and 22). */
function sendBack(world: World, phase: Phase, told: Told, others: readonly Told[], by: DecidedBy): void {
  const target = world.phases.find((one) => one.name === told.phase);
  if (!target) return;
  const isRetry = target === phase;
  const going = { target, told, riders: isRetry ? [] : ridersOf(world, phase, target, others, by) };
  const limit = by === 'person' ? undefined : refusal(world, phase, target.name, 1 + going.riders.length);
  if (limit && !holdPhase(world, phase, limit, target.name)) return;
  if (limit) return escalate(world, phase, 'limit');
  countDemand(world, phase, going, by);
  if (isRetry) {
    say(world, 'phase.retrying', phase.name, { ...at(phase), ...tellingOf(told), by, spent: phase.retries });
    return retry(world, phase, told);
  }
  const spent = phase.spent.get(target.name) ?? 0;
  say(world, 'phase.rewinding', phase.name, {
    ...at(phase),
    target: target.name,
    ...tellingOf(told),
    by,
    spent,
    ...(going.riders.length > 0 && {
      riders: going.riders.map((one) => ({ phase: one.phase.name, ...tellingOf(one.told) })),
    }),
  });
  world.sent.push({ from: phase.name, to: target.name });
  return rewind(world, phase, going);
}

function retry(world: World, phase: Phase, { feedback, issues }: Told): void {
  phase.feedback = feedback;
  phase.issues = issues;
  // A retry keeps its slot; a phase that waited for a person has none. While the run is held, no attempt begins.
  if (phase.status === 'working' && world.held.size === 0) return attemptAgain(world, phase);
  phase.hasPlace = phase.status === 'working';
  phase.status = 'returning';
}

function attemptAgain(world: World, phase: Phase): void {
  phase.attempt++;
  if (phase.isDone) phase.judged = phase.tried.at(-1)?.outputs;
  work(world, phase, phase.feedback, phase.issues);
}

/** Lets the phase wait for a person, who answers after a delay (rule 9). */
function escalate(world: World, phase: Phase, because: string): void {
  phase.status = 'escalated';
  phase.isSeenByPerson = true;
  phase.life++;
  say(world, 'phase.escalated', phase.name, { ...at(phase), because });
  askPerson(world, phase, (verdict, who) => decide(world, phase, verdict, 'person', 1, new Map(), who));
}

function tellingOf({ feedback, issues }: Told): Details {
  return { feedback, ...labels(issues) };
}
