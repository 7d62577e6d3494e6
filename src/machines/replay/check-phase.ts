/**
 * Check of one phase in a journal: the machine of a phase, restored with its records, makes each of them.
 *
 * @module
 */
import { createActor, createMachine } from 'xstate';
import type { PhaseReport, RunRecord } from '../../model/events/event.ts';
import { maskTexts } from '../../model/events/guard-redact.ts';
import type { Redact } from '../../model/events/redact.ts';
import { phaseLogic } from '../phase/phase-logic.ts';
import type { WorkLogic } from '../phase/ports.ts';
import { openServices, whileDeferring } from '../phase/run-services.ts';
import type { PhaseStub } from './phase-stub.ts';
import { PhaseRestorer } from './restore-phases.ts';
import { rulesOf } from './work-rules.ts';

/**
 * Creates the check of the phases of a run.
 *
 * @param records All records of the run, or its first ones.
 * @param redact Masks each text of an event that is not compared. @default all texts are compared
 * @returns Takes a phase with its whole script. It throws a PhasegateError `JOURNAL_DIVERGED` if the phase does not make its records.
 */
export function phaseCheck(run: string, records: readonly RunRecord[], redact?: Redact): (stub: PhaseStub) => void {
  const first = records[0]?.event;
  const copied = first?.type === 'run.started' ? first.forked?.records : undefined;
  const resumed = records.filter(({ event }) => event.type === 'run.resumed').map(({ seq }) => seq);
  const parent = createActor(parentLogic);
  const services = openServices(parent);
  return (stub) => {
    const actor = createActor(logic, { id: stub.name, parent, input: stub.input });
    const rules = rulesOf({ phase: stub.input.phase, copied, resumed });
    const restorer = redact
      ? new PhaseRestorer(run, stub, actor, redact, (report, seq) =>
          rules(report.type === 'phase.approved' ? report : (maskTexts(report) as PhaseReport), seq),
        )
      : new PhaseRestorer(run, stub, actor, (event) => event, rules);
    services.takeReport = (report) => restorer.compare(report);
    whileDeferring(parent, () => restorer.play(0));
  };
}

// --- internal ---

/** Work is deferred, and then ended with its recorded outcome. So it never begins. */
const NO_WORK: WorkLogic<never> = { begin: () => ({ stop: () => undefined }) };
const logic = phaseLogic({ attempt: NO_WORK, review: NO_WORK });
const parentLogic = createMachine({});
