/**
 * Phases that are checked once: the records of many differ only in names and outputs.
 *
 * The machine of a phase decides by its plan, its input and its commands. If its first attempt is approved without remarks, it passes
 * outputs on unread, and compares its name with nothing. So a phase does what another has done if all else is equal.
 *
 * @module
 */
import type { EventOf, PhaseReport, Verdict } from '../../model/events/event.ts';
import { byName } from '../../model/values/by-name.ts';
import { isSameJson } from '../../model/values/json.ts';
import { NO_MEMORY } from '../phase/phase-memory.ts';
import { createKinds } from './equal-plans.ts';
import type { PhaseStub } from './phase-stub.ts';

/** A check of one phase with its whole script. It throws if the phase does not make its records. */
export type PhaseCheck = (stub: PhaseStub) => void;

/**
 * Leaves out the check of a phase if an equal one has passed. Phases with commands, feedback or earlier attempts are always checked.
 *
 * @param check It must compare every text of the records.
 * @param copied Number of records that were copied from another run. @default 0
 */
export function checkEqualOnce(check: PhaseCheck, copied = 0): PhaseCheck {
  const passed = new Set<string>();
  const kindOf = createKinds();
  let latest: readonly unknown[] | undefined;
  return (stub) => {
    const facts = factsOf(stub, kindOf(stub.input.phase), copied);
    // Most phases equal the one before, and comparing lists is faster than making their texts.
    if (facts && latest && isSameJson(facts, latest)) return;
    const key = facts && JSON.stringify(facts);
    if (key === undefined || !passed.has(key)) check(stub);
    if (key === undefined) return;
    if (passed.size < MOST) passed.add(key);
    latest = facts;
  };
}

// --- internal ---

/** Most keys of one run. A run with more of them has few equal phases. */
const MOST = 1000;

/**
 * Returns all that the check of a phase depends on; `undefined` if that may be its name or its outputs too.
 *
 * Lines are flat, as there are many.
 */
function factsOf(
  { input, script }: PhaseStub,
  kind: number | undefined,
  copied: number,
): readonly unknown[] | undefined {
  if (kind === undefined) return undefined;
  const { revision, previous, unchanged, recollection, memory } = input;
  if (revision ?? previous ?? unchanged ?? recollection) return undefined;
  if (memory && !isSameJson(memory, NO_MEMORY)) return undefined;
  const facts: unknown[] = [{ ...input, phase: kind, inputs: null, input: null, memory: null }];
  const [begun, outputs] = [new Set<string>(), byName()];
  for (const line of script) {
    if (line.type === 'command' || line.refused) return undefined;
    const { report, seq } = line;
    facts.push(report.type, report.generation, report.attempt);
    switch (report.type) {
      case 'task.started':
        // The rules compare the numbers of the records of two starts.
        if (begun.has(report.task)) return undefined;
        begun.add(report.task);
        facts.push(report.task, report.try);
        break;
      case 'task.completed':
        outputs[report.task] = report.output;
        facts.push(report.task, report.try);
        break;
      case 'task.reported':
        // Nothing reads usage and progress.
        break;
      case 'phase.started':
        facts.push(fieldsOf(report));
        break;
      case 'review.started':
        facts.push(report.asked, fieldsOf(report));
        break;
      case 'review.decided':
        if (!isPlain(report)) return undefined;
        facts.push(Object.keys(report.verdicts), report.checked, seq <= copied, fieldsOf(report));
        break;
      case 'phase.approved':
        if (!isSameJson(report.outputs, outputs)) return undefined;
        facts.push(report.because, fieldsOf(report));
        break;
      case 'attempt.unchanged':
      case 'check.baselined':
      case 'loop.detected':
      case 'phase.escalated':
      case 'phase.failed':
      case 'phase.reflected':
      case 'phase.rejected':
      case 'phase.retrying':
      case 'phase.rewinding':
      case 'phase.warned':
      case 'review.waiting':
      case 'task.answered':
      case 'task.asked':
      case 'task.failed':
      case 'task.retrying':
        return undefined;
    }
  }
  return facts;
}

/** Counts the fields of a report that a phase makes: another field than those of the key is one too many. */
function fieldsOf(report: PhaseReport): number {
  let count = 0;
  for (const _ in report) count += 1;
  return count;
}

/** True for an approval of a gate without anything that is judged further. */
function isPlain({ verdict, verdicts, by, edited, failedChecks, who }: EventOf<'review.decided'>): boolean {
  if (by !== 'gate' || (edited ?? failedChecks ?? who) !== undefined) return false;
  return isApproval(verdict) && Object.values(verdicts).every(isApproval);
}

function isApproval(verdict: Verdict): boolean {
  return isSameJson(verdict, APPROVAL);
}

const APPROVAL: Verdict = { type: 'approve' };
