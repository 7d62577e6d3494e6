/**
 * What stands in for a phase while a journal is told again.
 *
 * @module
 */
import type { PhaseReport } from '../model/event.ts';
import type { PhaseActor } from './board.ts';
import type { PhaseInput } from './phase-context.ts';
import type { PhaseCommand } from './phase.machine.ts';

/** One thing that a phase was told, or has said. */
export type Line =
  | { readonly type: 'told'; readonly command: PhaseCommand }
  | {
      readonly type: 'said';
      readonly report: PhaseReport;
      /** Whether its pipeline did not let it happen, so that the journal has nothing of it. */
      readonly refused: boolean;
      /** Milliseconds since 1970. */
      readonly time: number;
    };

/** A phase of which just the outside is known. */
export interface Ghost extends PhaseActor {
  readonly name: string;
  /** What it was started with. */
  readonly input: PhaseInput;
  /** What it was told and has said since, in order. */
  readonly script: readonly Line[];
  /** Says something; what it is told meanwhile reaches it afterwards, as it would a machine. */
  say(line: Omit<Extract<Line, { readonly type: 'said' }>, 'type'>, tell: () => void): void;
}

/** @param answer Has the ghost say what it says at once, when it was told to start or to wait. */
export function createGhost(input: PhaseInput, answer: (ghost: Ghost) => void): Ghost {
  const script: Line[] = [];
  const waiting: PhaseCommand[] = [];
  let speaking = false;

  function obey(command: PhaseCommand): void {
    script.push({ type: 'told', command });
    if (command.type === 'restart' || command.type === 'hold') answer(ghost);
  }

  const ghost: Ghost = {
    name: input.phase.name,
    input,
    script,
    start: () => answer(ghost),
    send(command) {
      if (speaking) waiting.push(command);
      else obey(command);
    },
    say(line, tell) {
      script.push({ type: 'said', ...line });
      speaking = true;
      tell();
      speaking = false;
      for (let command = waiting.shift(); command; command = waiting.shift()) obey(command);
    },
  };
  return ghost;
}
