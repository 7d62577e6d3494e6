/**
 * Validation of a decision made by code, and the errors of an invalid one.
 *
 * @module
 */
import { decisionSchema, type Decision } from '../decision/decision.ts';
import { errorInfo, PhasegateError, type ErrorInfo } from '../errors/phasegate-error.ts';
import type { Verdict } from '../events/event.ts';
import type { GatePlan } from '../plan/plan.ts';
import { nearest } from '../values/nearest.ts';

/** The reviewer that decides, and the phases that it may send back. */
export interface Seat {
  readonly reviewer: string;
  /** The phase under review. */
  readonly phase: string;
  /** The names of all phases of the pipeline. */
  readonly phases: readonly string[];
  readonly gate: Pick<GatePlan, 'targets' | 'minConfidence' | 'onInvalidTarget' | 'onUnrecognised'>;
}

/**
 * Reads an answer of a reviewer's handler that is not text.
 *
 * @returns The decision; otherwise a verdict that `isBroken`, as another try does not change code.
 */
export function readCodeDecision(answer: unknown, seat: Seat): Decision | Extract<Verdict, { type: 'unavailable' }> {
  const parsed = decisionSchema.safeParse(answer);
  if (!parsed.success) return broken(noDecision(answer, seat));
  const decision = parsed.data;
  const { targets, onInvalidTarget } = seat.gate;
  const isAstray = decision.type === 'retryPredecessor' && !targets.includes(decision.phase);
  return isAstray && onInvalidTarget !== 'approve' ? broken(targetInvalid(decision.phase, seat)) : decision;
}

/** Makes the error of sending back a phase that a gate may not send back. */
export function targetInvalid(target: string, { phase, phases, reviewer, gate }: Seat): PhasegateError {
  const isKnown = phases.includes(target);
  const why = isKnown ? 'its gate may not send that back' : 'the pipeline has no phase of that name';
  const problem = `Cannot send back ${quoted(target)} from phase "${phase}" for reviewer "${reviewer}" as ${why}`;
  const meant = nearest(target, isKnown ? [] : gate.targets);
  const may = gate.targets.length === 0 ? 'no phase' : gate.targets.map(quoted).join(', ');
  const hint = [
    meant !== undefined && `Did you mean "${meant}"?`,
    `The gate may send back ${may}.`,
    isKnown && phase !== target && 'Its option `rewindTo` says which: `ancestors`, or a list.',
    phase === target && 'To have its own phase work again, use retry(feedback).',
  ];
  return new PhasegateError('DECISION_TARGET_INVALID', problem, {
    hint: hint.filter((line) => line !== false).join(' '),
  });
}

/** Makes the error of an answer that is no decision. */
export function noDecision(answer: unknown, { reviewer, phase }: Seat): PhasegateError {
  const problem = `Cannot take the answer of reviewer "${reviewer}" of phase "${phase}" as a decision: ${faultOf(answer)}`;
  const hint =
    'Return approve(), retry(feedback), retryPredecessor(phase, feedback), reject(reason), escalate(reason), or text such as "RETRY: <feedback>". ' +
    'Check what a model has made with decisionSchema, and throw if it fails: then the review is asked again.';
  return new PhasegateError('DECISION_INVALID', problem, { hint });
}

// --- internal ---

function broken(error: PhasegateError): Extract<Verdict, { type: 'unavailable' }> {
  const info: ErrorInfo = { ...errorInfo(error), permanent: true };
  return { type: 'unavailable', error: info };
}

/** Describes why an answer is no decision. */
function faultOf(answer: unknown): string {
  if (answer === null || answer === undefined) return 'it answered nothing; on this path it has no `return`';
  if (typeof answer === 'function' || typeof answer === 'symbol') return `it answered a ${typeof answer}`;
  if (typeof answer === 'number' || typeof answer === 'boolean' || typeof answer === 'bigint')
    return `it answered ${quoted(`${answer}`)}, a ${typeof answer}`;
  if (typeof answer !== 'object') return `it answered a ${typeof answer}`;
  if (Array.isArray(answer)) return 'it answered a list';
  const type: unknown = Reflect.get(answer, 'type');
  if (typeof type !== 'string') return 'its answer has no `type`';
  const shape = SHAPES.get(type);
  if (!shape) {
    const meant = nearest(type, [...SHAPES.keys()]);
    return `its type ${quoted(type)} is unknown${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
  }
  const issues = decisionSchema.safeParse(answer).error?.issues ?? [];
  const lines = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => strangeKey(key, issue.path, shape))
      : `${issue.path.join('.')}: ${issue.message}`,
  );
  return `as ${quoted(type)} it is wrong:\n  ${lines.slice(0, MOST_LINES).join('\n  ')}`;
}

function strangeKey(key: string, path: readonly PropertyKey[], shape: readonly string[]): string {
  const meant = path.length === 0 ? nearest(key, shape) : undefined;
  const where = path.length === 0 ? '' : `${path.join('.')}: `;
  return `${where}there is no field ${quoted(key)}${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
}

/** The fields of each type of decision. */
const SHAPES: ReadonlyMap<string, readonly string[]> = new Map(
  decisionSchema.options.map((option) => {
    const { shape } = option.unwrap();
    return [shape.type.value, Object.keys(shape)];
  }),
);

const MOST_LINES = 10;
const LONGEST = 200;

function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
