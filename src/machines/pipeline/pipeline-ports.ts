/**
 * The ports of the coordinator of a run, at its pipeline actor.
 *
 * @module
 */
import type { AnyActorRef } from 'xstate';
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { LateReport } from '../../model/events/event.ts';
import type { LedgerListener, View } from '../../model/ledger/ledger.ts';
import { endRun } from '../coordinator/completion.ts';
import { handleLateReport, recordRead } from '../coordinator/handle-report.ts';
import type { CoordinatorPorts, PhaseActor, RunState } from '../coordinator/run-state.ts';
import { isActive } from '../phase/clock.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import type { StragglerPorts } from '../phase/stragglers.ts';
import { flushOutbox, isListenedTo } from './run-state-registry.ts';
import { spawnPhase } from './spawn-phase.ts';

/** The ports of one run. A class, as a function for each port would take half a kilobyte of each run. */
export class PipelinePorts implements CoordinatorPorts, StragglerPorts, LedgerListener {
  readonly #pipeline: AnyActorRef;
  readonly #state: RunState;

  constructor(pipeline: AnyActorRef, state: RunState) {
    this.#pipeline = pipeline;
    this.#state = state;
  }

  spawn(input: PhaseInput): PhaseActor {
    return spawnPhase(this.#pipeline, input);
  }

  atRest(job: () => void): void {
    this.#state.stragglers?.whenAtRest(() => {
      job();
      this.publish();
    });
  }

  /** One turn later, after the reports of the phases that have just been stopped. */
  settle(): void {
    queueMicrotask(() => isActive(this.#pipeline) && this.#pipeline.send({ type: 'settle' }));
  }

  publish(): void {
    const pipeline = this.#pipeline;
    flushOutbox(pipeline);
    if (this.#state.outbox.length > 0 && !isListenedTo(pipeline) && isActive(pipeline))
      pipeline.send({ type: 'publish' });
  }

  later(job: (state: RunState) => void): void {
    const [pipeline, state] = [this.#pipeline, this.#state];
    Promise.resolve(state)
      // An actor that was stopped meanwhile begins nothing more, as nothing of it would be recorded.
      .then((one) => isActive(pipeline) && job(one))
      .catch((error: unknown) => endRun(state, { status: 'failed', error: errorInfo(error, 'INTERNAL') }));
  }

  take(late: LateReport): void {
    handleLateReport(this.#state, late);
    this.publish();
  }

  asked(view: View, ancestor: string): void {
    recordRead(this.#state, view, ancestor);
  }
}
