/**
 * The script of a path: a step for each call of a worker and each question to a person.
 *
 * The worker who decides takes the time up to the decision, and all others work at once. So the decisions of phases that work side by
 * side come in the order of the path.
 *
 * @module
 */
import { approve } from '../../model/decision/decision.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { LimitName } from '../../model/plan/policy-schema.ts';
import type { Script } from '../rehearsal/script.ts';
import { fails, reports, silent, takes, type Step as ScriptStep } from '../rehearsal/step.ts';
import type { Act } from '../decisions/decision.ts';
import type { Begun, Step } from '../decisions/draft.ts';
import type { OwnSteps } from './own-steps.ts';
import { unknownPart } from './refused.ts';
import { seatNamed, type GateFacts, type Seat, type Setting, type Worker } from '../decisions/setting.ts';
import { isWhole, type PathState, type PhaseSpot } from '../decisions/state.ts';
import { answerOf, personalAnswer, reviewOf, StepsByWorker, unavailable } from './steps-by-worker.ts';
import { expiryAfter, timelineOf, tooEarly, type Move } from './timeline.ts';

/** Writes the script of a path. @param start The start of the run. @throws PhasegateError `PATHS_UNKNOWN` if times do not fit. */
export function scriptOf(setting: Setting, start: Step, moves: readonly Move[], own: OwnSteps): Script {
  const { times, begins } = timelineOf(setting, start, moves);
  requireTime(setting, times, moves);
  const writer = new Writer(setting, own);
  start.begun.forEach((begun) => writer.open(begun, 0, undefined, start.state));
  moves.forEach(({ act, step }, nth) => {
    const before = (moves[nth - 1]?.step ?? start).state;
    writer.decide(act, nth + 1, times[nth] ?? 0, before);
    writer.requireQuestions(times[nth] ?? 0, before);
    for (const begun of step.begun) writer.open(begun, begins(nth, begun), before, step.state);
  });
  const { input, reflections } = own;
  return {
    attended: false,
    ...(input !== undefined && { input }),
    ...writer.script(),
    ...(reflections && { reflections }),
  };
}

// --- internal ---

/** Work or a question that waits for its decision. */
interface Waiting {
  readonly begun: Begun;
  readonly at: number;
  /** The phase when it began. */
  readonly spot: PhaseSpot | undefined;
}

class Writer {
  readonly #setting: Setting;
  readonly #steps: StepsByWorker;
  readonly #waiting = new Map<string, Waiting>();

  constructor(setting: Setting, own: OwnSteps) {
    this.#setting = setting;
    this.#steps = new StepsByWorker(setting, own.tasks ?? {});
  }

  script(): Script {
    for (const about of this.#waiting.keys()) this.#leave(about);
    return this.#steps.script();
  }

  /** @throws PhasegateError `PATHS_UNKNOWN` if a question to a person expires while others decide. */
  requireQuestions(time: number, state: PathState): void {
    for (const waiting of this.#waiting.values()) {
      const { about, type } = waiting.begun;
      const spot = state.phases[seatNamed(this.#setting, about)?.index ?? -1];
      // The question about a phase that runs again is closed.
      const isOpen = !spot || spot.standing === 'working' || spot.standing === 'escalated';
      if (type === 'question' && isOpen) this.#requireOpen(waiting, time, state);
    }
  }

  /** Notes work that has begun. Work of the same phase that nobody has decided about was stopped. */
  open(begun: Begun, at: number, before: PathState | undefined, after: PathState): void {
    const seat = seatNamed(this.#setting, begun.about);
    this.#leave(begun.about);
    const spot = seat && after.phases[seat.index];
    if (seat?.gate && begun.type === 'attempt' && spot?.owed && !(before?.phases[seat.index]?.owed ?? false))
      for (const check of seat.gate.baseline) this.#steps.check(seat, check, 0, true);
    this.#waiting.set(begun.about, { begun, at, spot });
  }

  /** Writes the steps that lead to a decision. */
  decide(act: Act, nth: number, time: number, before: PathState): void {
    const waiting = this.#waiting.get(act.about);
    if (!waiting) return;
    const ms = time - waiting.at;
    const seat = seatNamed(this.#setting, act.about);
    const isQuestion = waiting.begun.type === 'question';
    if (act.decision !== 'expire') this.#requireOpen(waiting, time, before);
    if (act.decision === 'expire') this.#expire(act, waiting, seat);
    else {
      this.#waiting.delete(act.about);
      if (seat && !isQuestion) this.#work(seat, waiting, act, ms, nth);
      else if (seat?.gate?.mute && waiting.spot?.standing === 'working')
        this.#steps.review(seat, seat.gate.mute, ms, answerOf(act, nth));
      else this.#steps.person(act.about, ms, personalAnswer(act, nth));
    }
  }

  /** @throws PhasegateError `PATHS_UNKNOWN` if a question has expired by that time. */
  #requireOpen({ begun: { about }, at }: Waiting, time: number, state: PathState): void {
    const expiry = expiryAfter(this.#setting, state, about);
    if (expiry === undefined || time - at < expiry || hasExpired(state, about, seatNamed(this.#setting, about))) return;
    throw tooEarly(this.#setting, about, expiry);
  }

  /** A question that has expired stays open, or another person is asked, who opens a question of its own. */
  #expire({ about }: Act, waiting: Waiting, seat: Seat | undefined): void {
    const mute = waiting.spot?.standing === 'working' ? seat?.gate?.mute : undefined;
    const inbox = mute?.question ?? seat?.gate?.plan.inbox ?? this.#setting.plan.inbox;
    const stays = (inbox?.onExpiry ?? 'stay') === 'stay';
    if (mute && seat && waiting.begun.type !== 'question') this.#others(seat, waiting, mute);
    const question: Waiting = { ...waiting, begun: { about, type: 'question' } };
    this.#waiting.set(about, question);
    if (!stays) this.#leave(about);
  }

  /** Writes that nobody ever decides about work or a question. */
  #leave(about: string): void {
    const waiting = this.#waiting.get(about);
    if (!waiting) return;
    this.#waiting.delete(about);
    const seat = seatNamed(this.#setting, about);
    if (!seat) this.#steps.person(about, 0, silent());
    else if (waiting.begun.type === 'question') {
      const mute = waiting.spot?.standing === 'working' ? seat.gate?.mute : undefined;
      if (mute) this.#steps.review(seat, mute, 0, silent());
      else this.#steps.person(about, 0, silent());
    } else if (waiting.begun.type === 'review') this.#silence(seat, waiting);
    else this.#tasks(seat, 0, silent());
  }

  #silence(seat: Seat, { spot }: Waiting): void {
    const [first] = seat.gate?.plan.checks ?? [];
    if (spot?.pending === 'all' && first !== undefined) this.#steps.check(seat, first, 0, silent());
    else {
      const { deciders = [], reviewers = [] } = seat.gate ?? {};
      for (const one of spot?.pending === 'reviewers' ? reviewers : deciders)
        this.#steps.review(seat, one, 0, silent());
    }
  }

  /** Writes the calls of an attempt, or of a review that is asked again, up to its decision. */
  #work(seat: Seat, { begun, spot }: Waiting, act: Act, ms: number, nth: number): void {
    const { gate } = seat;
    if (begun.type === 'attempt') {
      if (act.decision === 'failedTask') {
        this.#tasks(seat, ms, fails(unavailable(`Decision ${nth}.`)));
        return;
      }
      if (act.decision === 'spentLimit' && act.limit !== undefined) {
        this.#tasks(seat, ms, undefined, spending(this.#setting.plan, act.limit));
        // Checks are no tries, so they run while the limit holds the run.
        for (const check of spot?.gated ? (gate?.plan.checks ?? []) : []) this.#steps.check(seat, check, 0, true);
        return;
      }
      const isAlone = !gate || !spot?.gated;
      this.#tasks(seat, isAlone ? ms : 0);
      if (isAlone) return;
    }
    if (gate) this.#review(seat, gate, spot?.pending ?? 'all', act, ms, nth);
  }

  /** Writes the calls of a review. @param pending Those who are asked; all checks run before all reviewers. */
  #review(seat: Seat, gate: GateFacts, pending: PhaseSpot['pending'], act: Act, ms: number, nth: number): void {
    const breaks = act.decision === 'reviewError' && gate.breaker !== undefined;
    const decides = breaks || act.decision === 'failedCheck' || gate.reviewers.length === 0;
    if (pending === 'all') {
      for (const [index, check] of gate.plan.checks.entries()) {
        const time = decides && index === 0 ? ms : 0;
        if (breaks) this.#steps.check(seat, check, time, answerOf(act, nth));
        else if (check === act.check) this.#failed(seat, check, time, nth);
        else this.#steps.check(seat, check, time, true);
        if (breaks) return;
      }
    }
    if (decides) return;
    for (const one of isWhole(pending) ? gate.reviewers : gate.deciders) {
      const isDecider = gate.deciders.includes(one);
      this.#steps.review(seat, one, isDecider ? ms : 0, isDecider ? reviewOf(one, act, nth) : approve());
    }
  }

  /** A failed check runs again, as often as it may. */
  #failed(seat: Seat, check: string, ms: number, nth: number): void {
    const { retries = 0 } = this.#setting.work.phases.get(seat.name)?.checks.get(check) ?? {};
    for (let run = 0; run <= retries; run += 1)
      this.#steps.check(seat, check, run === 0 ? ms : 0, `Decision ${nth}: make ${check} pass.`);
  }

  /** Writes the calls of a review in which one person stays silent. */
  #others(seat: Seat, { begun }: Waiting, mute: Worker): void {
    if (begun.type === 'attempt') this.#tasks(seat, 0);
    for (const check of seat.gate?.plan.checks ?? []) this.#steps.check(seat, check, 0, true);
    for (const one of seat.gate?.reviewers ?? []) if (one !== mute) this.#steps.review(seat, one, 0, approve());
  }

  /** Writes the calls of the tasks. @param step The step of the first one that is no person. @param use Adds usage to that step. */
  #tasks(seat: Seat, ms: number, step?: ScriptStep, use?: (step: unknown) => ScriptStep): void {
    const chosen = seat.machine ?? seat.tasks[0];
    for (const one of seat.tasks) {
      if (one === chosen) this.#steps.task(seat, one, ms, { step, use });
      else this.#steps.task(seat, one, 0);
    }
  }
}

function hasExpired({ phases, attemptsLimit, usage }: PathState, about: string, seat: Seat | undefined): boolean {
  if (seat) return phases[seat.index]?.expired ?? false;
  return about === 'attemptsPerPhase' ? attemptsLimit === 'expired' : usage?.hold === 'expired';
}

/** Returns a function that has a step spend more than a limit allows. Usage is reported when the step would end, not when it begins. */
function spending({ limits }: Plan, limit: LimitName): (step: unknown) => ScriptStep {
  const more = (limits[limit] ?? 0) + 1;
  if (limit !== 'tokens' && limit !== 'costUsd') return (step) => takes(more, step);
  return (step) => takes(0, () => reports({ [limit]: more }, step));
}

/** @throws PhasegateError `PATHS_UNKNOWN` if a limit of time is reached before the path ends. */
function requireTime({ plan }: Setting, times: readonly number[], moves: readonly Move[]): void {
  for (const name of ['durationMs', 'deadlineMs'] as const) {
    const max = plan.limits[name];
    // A limit that the path spends itself does not count from there on.
    const spent = moves.findIndex(({ act }) => act.limit === name);
    const ms = times.at(spent) ?? 0;
    if (max === undefined || ms < max) continue;
    throw unknownPart(
      plan.name,
      `a path takes ${ms} ms of virtual time, and the limit ${name} is ${max}`,
      'Raise the limit, or lower expireAfterMs, reviewBackoff or maxSteps.',
    );
  }
}
