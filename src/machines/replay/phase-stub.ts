/**
 * A stand-in for a phase during replay: it records commands, and repeats reports of the journal.
 *
 * @module
 */
import type { EventOf, PhaseReport, RunEvent } from '../../model/events/event.ts';
import type { PhaseActor } from '../coordinator/run-state.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import type { PhaseCommand } from '../phase/phase.machine.ts';

/** A command to a phase, or a report of it. */
export type ScriptEntry =
  | { readonly type: 'command'; readonly command: PhaseCommand }
  | {
      readonly type: 'report';
      readonly report: PhaseReport;
      /** True if a limit did not allow it, so that it is not in the journal. */
      readonly refused: boolean;
      /** Milliseconds since 1970. */
      readonly time: number;
      /** Number of its record; of the next record if `refused`. */
      readonly seq: number;
    };

/** The stub of one phase. A class, as a journal may need very many, and closures cost memory. */
export class PhaseStub implements PhaseActor {
  /** The input of the phase. */
  readonly input: PhaseInput;
  readonly #answer: (stub: PhaseStub) => void;
  readonly #script: ScriptEntry[] = [];
  /** Commands that came during a report. */
  readonly #waiting: PhaseCommand[] = [];
  #isReporting = false;

  /** @param answer Repeats the first report after a start, a restart or a hold. */
  constructor(input: PhaseInput, answer: (stub: PhaseStub) => void) {
    this.input = input;
    this.#answer = answer;
  }

  get name(): string {
    return this.input.phase.name;
  }

  /** Commands and reports since the start, in order. */
  get script(): readonly ScriptEntry[] {
    return this.#script;
  }

  start(): void {
    this.#answer(this);
  }

  send(command: PhaseCommand): void {
    if (this.#isReporting) this.#waiting.push(command);
    else this.#handle(command);
  }

  /**
   * Repeats a report. Commands that come meanwhile are handled afterwards, as by a machine.
   *
   * @param at The time in milliseconds since 1970, and the number of the record.
   */
  repeat(
    report: PhaseReport,
    refused: boolean,
    { time, seq }: { readonly time: number; readonly seq: number },
    receive: (report: PhaseReport) => void,
  ): void {
    this.#script.push({ type: 'report', report, refused, time, seq });
    this.#isReporting = true;
    receive(report);
    this.#isReporting = false;
    for (let command = this.#waiting.shift(); command; command = this.#waiting.shift()) this.#handle(command);
  }

  #handle(command: PhaseCommand): void {
    this.#script.push({ type: 'command', command });
    if (command.type === 'restart' || command.type === 'hold') this.#answer(this);
  }
}

/** True for a report with which a phase ends. */
export function isEnd({ type }: PhaseReport): boolean {
  return type === 'phase.approved' || type === 'phase.rejected' || type === 'phase.failed';
}

/** True for the answer of a phase to a start, a restart or a hold. */
export function isAnswer(event: RunEvent): event is EventOf<'phase.started' | 'phase.escalated'> {
  return event.type === 'phase.started' || event.type === 'phase.escalated';
}
