/**
 * What stands in for a phase while a journal is told again.
 *
 * @module
 */
import type { PhaseReport } from '../../model/events/event.ts';
import type { PhaseActor } from '../coordinator/run-state.ts';
import type { PhaseInput } from '../phase/phase-context.ts';
import type { PhaseCommand } from '../phase/phase.machine.ts';

/** One thing that a phase was told, or has said. */
export type ScriptEntry =
  | { readonly type: 'told'; readonly command: PhaseCommand }
  | {
      readonly type: 'said';
      readonly report: PhaseReport;
      /** Whether its pipeline did not let it happen, so that the journal has nothing of it. */
      readonly refused: boolean;
      /** Milliseconds since 1970. */
      readonly time: number;
    };

/** A phase of which just the outside is known. A class, as a journal may have very many, and closures are memory. */
export class PhaseStub implements PhaseActor {
  /** What it was started with. */
  readonly input: PhaseInput;
  readonly #answer: (stub: PhaseStub) => void;
  readonly #script: ScriptEntry[] = [];
  /** What it was told while it speaks. */
  readonly #waiting: PhaseCommand[] = [];
  #speaking = false;

  /** @param answer Has the ghost say what it says at once, when it was told to start or to wait. */
  constructor(input: PhaseInput, answer: (stub: PhaseStub) => void) {
    this.input = input;
    this.#answer = answer;
  }

  get name(): string {
    return this.input.phase.name;
  }

  /** What it was told and has said since, in order. */
  get script(): readonly ScriptEntry[] {
    return this.#script;
  }

  start(): void {
    this.#answer(this);
  }

  send(command: PhaseCommand): void {
    if (this.#speaking) this.#waiting.push(command);
    else this.#obey(command);
  }

  /**
   * Says something; what it is told meanwhile reaches it afterwards, as it would a machine.
   *
   * @param time Milliseconds since 1970.
   */
  say(report: PhaseReport, refused: boolean, time: number, tell: (report: PhaseReport) => void): void {
    this.#script.push({ type: 'said', report, refused, time });
    this.#speaking = true;
    tell(report);
    this.#speaking = false;
    for (let command = this.#waiting.shift(); command; command = this.#waiting.shift()) this.#obey(command);
  }

  #obey(command: PhaseCommand): void {
    this.#script.push({ type: 'told', command });
    if (command.type === 'restart' || command.type === 'hold') this.#answer(this);
  }
}
