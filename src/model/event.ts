/**
 * The one vocabulary of a run: everything it says, as a closed union.
 *
 * ```text
 *   PhaseReport (what a phase tells its pipeline)  ⊂  RunEvent (what a run says)  ⊂  RunRecord (stamped)
 * ```
 *
 * Consumers read records and never the actors. A new member breaks every exhaustive `switch`, on purpose.
 *
 * @module
 */
import { z } from 'zod';
import { decisionSchema } from './decision.ts';

const json = z.unknown();
const outputs = z.record(z.string(), json).readonly();
const error = z
  .object({ code: z.string(), name: z.string(), message: z.string(), stack: z.string().optional() })
  .readonly();
const correction = z
  .object({ attempt: z.int(), from: z.string(), feedback: z.string(), requiredChange: z.string().optional() })
  .readonly();
const revision = z
  .object({
    attempt: z.int(),
    feedback: z.string(),
    requiredChange: z.string().optional(),
    history: z.array(correction).readonly(),
  })
  .readonly();
const verdict = z.union([
  decisionSchema,
  z.object({ type: z.literal('unrecognised'), text: z.string() }).readonly(),
  z.object({ type: z.literal('inconclusive'), decision: decisionSchema }).readonly(),
  z.object({ type: z.literal('unavailable'), error }).readonly(),
]);
const limit = z.enum(['corrections', 'perPair', 'attemptsPerPhase', 'costUsd', 'tokens', 'durationMs']);
const because = z.enum(['unreviewed', 'approved', 'exhausted', 'unrecognised', 'invalidTarget']);
const escalation = z.enum(['requested', 'exhausted', 'invalidTarget', 'reviewUnavailable', 'limit']);
const runStatus = z.enum(['completed', 'rejected', 'failed', 'cancelled', 'exhausted']);
const by = z.enum(['gate', 'worker', 'person']);

/** Which attempt of which phase an event speaks of. */
const at = { phase: z.string(), generation: z.int(), attempt: z.int() };
const inTask = { ...at, task: z.string() };
const tried = { ...inTask, try: z.int() };

const taskEvents = [
  z.object({ type: z.literal('task.started'), ...tried }).readonly(),
  /** Usage, progress or an artifact; `reviewer` is set where a reviewer reported it. */
  z
    .object({
      type: z.literal('task.reported'),
      ...inTask,
      tokens: z.number().optional(),
      costUsd: z.number().optional(),
      progress: z.union([z.number(), z.string()]).optional(),
      artifact: z.object({ name: z.string(), content: json }).readonly().optional(),
    })
    .readonly(),
  z.object({ type: z.literal('task.completed'), ...tried, output: json }).readonly(),
  /** A try failed and another one follows after `delayMs` milliseconds. */
  z.object({ type: z.literal('task.retrying'), ...tried, error, delayMs: z.number() }).readonly(),
  z.object({ type: z.literal('task.failed'), ...tried, error }).readonly(),
] as const;

const gateEvents = [
  z.object({ type: z.literal('review.started'), ...at, asked: z.int() }).readonly(),
  /** What the gate made of its checks and reviewers; `verdicts` has each reviewer's own. */
  z.object({ type: z.literal('review.decided'), ...at, verdict, verdicts: z.record(z.string(), verdict).readonly(), by }).readonly(),
  /** The review could not be had and is asked again after `delayMs` milliseconds. */
  z.object({ type: z.literal('review.retrying'), ...at, verdict, delayMs: z.number() }).readonly(),
] as const;

const phaseEvents = [
  /** An attempt begins. `asked` of a revision stands in `revision`; `read` are versions of the predecessors. */
  z.object({ type: z.literal('phase.started'), ...at, revision: revision.optional() }).readonly(),
  z
    .object({ type: z.literal('phase.retrying'), ...at, correction, by, spent: z.int() })
    .readonly(),
  z
    .object({ type: z.literal('phase.rewinding'), ...at, target: z.string(), correction, by, spent: z.int() })
    .readonly(),
  z
    .object({ type: z.literal('phase.escalated'), ...at, id: z.string(), because: escalation, reason: z.string() })
    .readonly(),
  z.object({ type: z.literal('phase.answered'), ...at, decision: decisionSchema }).readonly(),
  z
    .object({ type: z.literal('phase.approved'), ...at, because, outputs, bestOf: z.int().optional() })
    .readonly(),
  z.object({ type: z.literal('phase.rejected'), ...at, reason: z.string() }).readonly(),
  z.object({ type: z.literal('phase.failed'), ...at, error }).readonly(),
  z.object({ type: z.literal('phase.warned'), ...at, code: z.string(), message: z.string() }).readonly(),
] as const;

const pipelineEvents = [
  z.object({ type: z.literal('run.started'), pipeline: z.string(), fingerprint: z.string(), input: json }).readonly(),
  z.object({ type: z.literal('phase.committed'), phase: z.string(), version: z.int(), read: z.record(z.string(), z.int()).readonly() }).readonly(),
] as const;

void taskEvents;
void gateEvents;
void phaseEvents;
void pipelineEvents;
void runStatus;
void limit;
