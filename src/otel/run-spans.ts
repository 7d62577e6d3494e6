/**
 * The open spans of one run, as a tree: run, phases, attempts, and the work of attempts. Ended spans are dropped. Only their
 * contexts stay, for links.
 *
 * @module
 */
import type { Attributes, Context, Link, SpanContext, Tracer } from '@opentelemetry/api';
import { common } from './attributes.ts';
import type { EventLogger } from './evaluation-log.ts';
import { closeBranch, hrTime, linkTo, openBranch, type Branch, type End, type Failure } from './span.ts';
import { endWork, type Work } from './work-spans.ts';

/** An attempt of a phase. */
export interface At {
  readonly phase: string;
  readonly generation: number;
  readonly attempt: number;
}

/** The span of a generation of a phase. */
export interface PhaseBranch extends Branch {
  readonly generation: number;
  attempts: number;
  attempt: AttemptBranch | undefined;
  /** The outcome of its previous attempt. */
  before: string | undefined;
}

/** The span of an attempt, with its unfinished work. */
export interface AttemptBranch extends Branch {
  readonly number: number;
  readonly tasks: Map<string, Work>;
  /** The reflect call about the previous attempt. */
  reflection: Work | undefined;
  review: Work | undefined;
  /** The time at which its reflect call may start. */
  ready: number;
  /** The type of the latest verdict on it. */
  verdict: string | undefined;
}

/** The spans of one run. */
export interface RunSpans {
  readonly tracer: Tracer;
  /** Takes verdicts instead of the spans. */
  readonly logger: EventLogger | undefined;
  readonly parent: Context;
  readonly runId: string;
  readonly run: Branch;
  pipeline: string | undefined;
  /** Phases whose gates ask again if a text has no verdict. */
  readonly askAgain: Set<string>;
  /** The names of reflect calls, by phase. */
  readonly reflects: Map<string, string>;
  readonly phases: Map<string, PhaseBranch>;
  /** The latest span of each phase. */
  readonly latest: Map<string, SpanContext>;
  /** Links for the next span of each phase. */
  readonly links: Map<string, Link[]>;
  /** The failure of the first phase with each outcome. */
  readonly failures: Map<string, Failure>;
  attempts: number;
  corrections: number;
  /** The time of the latest record; and of the last record before the latest resumption. */
  last: number;
  cut: number;
}

/** The parts that the observer provides. */
type Origin = Pick<RunSpans, 'tracer' | 'logger' | 'parent' | 'runId'>;

/** Starts the span of a run. @param before The previous span of the run, if the run was reopened. */
export function openRun(
  from: Origin,
  time: number,
  pipeline: string | undefined,
  { before, isBeginning }: { readonly before: SpanContext | undefined; readonly isBeginning: boolean },
): RunSpans {
  const run = openBranch(
    from.tracer,
    from.parent,
    pipeline === undefined ? 'invoke_workflow' : `invoke_workflow ${pipeline}`,
    {
      time,
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        ...(pipeline !== undefined && { 'gen_ai.workflow.name': pipeline }),
        ...common('run', from.runId, pipeline),
        ...(!isBeginning && START_UNKNOWN),
      },
      links: before ? [linkTo(before, 'reopened')] : [],
    },
  );
  return {
    ...from,
    run,
    pipeline,
    askAgain: new Set(),
    reflects: new Map(),
    phases: new Map(),
    latest: new Map(),
    links: new Map(),
    failures: new Map(),
    attempts: 0,
    corrections: 0,
    last: time,
    cut: time,
  };
}

/** Common attributes, and those of an attempt. */
export function commonOf({ runId, pipeline }: RunSpans, kind: string, { phase, generation, attempt }: At): Attributes {
  return {
    ...common(kind, runId, pipeline),
    'phasegate.phase': phase,
    'phasegate.generation': generation,
    'phasegate.attempt': attempt,
  };
}

/** Starts an attempt, and its phase if that is not open. */
export function startAttempt(spans: RunSpans, at: At, time: number, isBeginning = true): AttemptBranch {
  const open = spans.phases.get(at.phase);
  const phase = open?.generation === at.generation ? open : openPhase(spans, at, time, isBeginning);
  closeAttempt(spans, phase, time, { outcome: 'unfinished' });
  // A retry of its own gate does not answer the demands of other phases.
  const links = phase === open && phase.before !== 'retrying' ? takeLinks(spans, at.phase) : [];
  const branch = openBranch(spans.tracer, phase.context, `attempt ${at.phase}`, {
    time,
    attributes: { ...commonOf(spans, 'attempt', at), ...(!isBeginning && START_UNKNOWN) },
    links,
  });
  const attempt: AttemptBranch = Object.assign(branch, {
    number: at.attempt,
    tasks: new Map<string, Work>(),
    reflection: undefined,
    review: undefined,
    ready: time,
    verdict: undefined,
  });
  phase.attempt = attempt;
  phase.attempts += 1;
  spans.attempts += 1;
  return attempt;
}

/** Finds the attempt that a record is about, if it is open. */
export function openAttempt({ phases }: RunSpans, { phase, generation, attempt }: At): AttemptBranch | undefined {
  const branch = phases.get(phase);
  return branch?.generation === generation && branch.attempt?.number === attempt ? branch.attempt : undefined;
}

/** Finds the phase that a record is about. If the records lack its start, it starts now. */
export function phaseOf(spans: RunSpans, at: At, time: number): PhaseBranch {
  const phase = spans.phases.get(at.phase);
  return phase?.generation === at.generation ? phase : openPhase(spans, at, time, false);
}

/** Adds an event to the innermost open span. */
export function addEvent(
  spans: RunSpans,
  phase: string | undefined,
  name: string,
  attributes: Attributes,
  time: number,
): void {
  const { span } = innermost(spans, phase);
  span.addEvent(name, phase === undefined ? attributes : { 'phasegate.phase': phase, ...attributes }, hrTime(time));
}

/** Finds the innermost open span: an attempt, else its phase, else the run. */
export function innermost(spans: RunSpans, phase: string | undefined): Branch {
  const branch = phase === undefined ? undefined : spans.phases.get(phase);
  return branch?.attempt ?? branch ?? spans.run;
}

/** Ends the attempt of a phase with all of its work. */
export function closeAttempt(spans: RunSpans, phase: PhaseBranch, time: number, end: End): void {
  const { attempt } = phase;
  if (!attempt) return;
  phase.attempt = undefined;
  phase.before = end.outcome;
  const work = { outcome: end.outcome === 'unfinished' ? 'unfinished' : 'stopped' };
  const { tasks, reflection, review, verdict } = attempt;
  for (const one of [reflection, ...tasks.values(), review]) {
    if (one) endWork(spans.tracer, attempt.context, one, time, work);
  }
  closeBranch(attempt, time, {
    ...end,
    attributes: { ...end.attributes, ...(verdict !== undefined && { 'phasegate.verdict': verdict }) },
  });
}

/** Ends a phase with all spans below it, if it is open. */
export function closePhase(spans: RunSpans, name: string, time: number, end: End): void {
  const phase = spans.phases.get(name);
  if (!phase) return;
  closeAttempt(spans, phase, time, end);
  spans.phases.delete(name);
  if (end.failure && !spans.failures.has(end.outcome)) {
    const { type, message } = end.failure;
    spans.failures.set(end.outcome, { type, message: `Phase "${name}" ${end.outcome}: ${message}` });
  }
  closeBranch(phase, time, { ...end, attributes: { ...end.attributes, 'phasegate.attempts': phase.attempts } });
}

/** Ends a run with all spans below it. */
export function closeRun(spans: RunSpans, time: number, end: End): void {
  for (const name of spans.phases.keys()) closePhase(spans, name, time, { outcome: 'unfinished' });
  const { attempts, corrections } = spans;
  const counts = { 'phasegate.attempts': attempts, 'phasegate.corrections': corrections };
  closeBranch(spans.run, time, { ...end, attributes: { ...end.attributes, ...counts } });
}

/** Adds a link to the next span of a phase. */
export function addLink({ links }: RunSpans, phase: string, link: Link): void {
  const waiting = links.get(phase);
  if (waiting) waiting.push(link);
  else links.set(phase, [link]);
}

// --- internal ---

/** The records lack the start of the span. */
const START_UNKNOWN: Attributes = { 'phasegate.start_unknown': true };

function openPhase(spans: RunSpans, { phase, generation }: At, time: number, isBeginning: boolean): PhaseBranch {
  closePhase(spans, phase, time, { outcome: 'unfinished' });
  const branch = openBranch(spans.tracer, spans.run.context, `phase ${phase}`, {
    time,
    attributes: {
      ...common('phase', spans.runId, spans.pipeline),
      'phasegate.phase': phase,
      'phasegate.generation': generation,
      ...(!isBeginning && START_UNKNOWN),
    },
    links: takeLinks(spans, phase),
  });
  const opened: PhaseBranch = Object.assign(branch, { generation, attempts: 0, attempt: undefined, before: undefined });
  spans.phases.set(phase, opened);
  spans.latest.set(phase, branch.span.spanContext());
  return opened;
}

function takeLinks({ links }: RunSpans, phase: string): Link[] {
  const waiting = links.get(phase) ?? [];
  links.delete(phase);
  return waiting;
}
