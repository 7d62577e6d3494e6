/**
 * The error of a rehearsal that cannot end.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { Run } from '../../runtime/run.ts';

/** A rehearsal has not ended, and nothing is left that could happen. */
export class StuckError extends PhasegateError {
  /** The phases and people that the run waits for, in words. */
  readonly waitsFor: readonly string[];

  constructor(pipeline: string, why: string, run: Run<unknown> | undefined) {
    const waitsFor = waitingIn(run);
    const lines = waitsFor.map((one) => `\n  ${one}`).join('');
    super('REHEARSAL_STUCK', `Cannot end the rehearsal of pipeline "${pipeline}" as ${why}:${lines}`, {
      hint: 'Let a silent worker have a timeout, and a question an expiry; or script an answer.',
    });
    this.waitsFor = waitsFor.length > 0 ? waitsFor : [why];
  }
}

// --- internal ---

function waitingIn(run: Run<unknown> | undefined): readonly string[] {
  const phases = Object.entries(run?.snapshot().phases ?? {});
  return [
    ...(run?.inbox() ?? []).map(({ about, reason }) => `a person has not answered about "${about}": ${reason}`),
    ...phases.flatMap(([name, { status }]) =>
      status === 'running' || status === 'reviewing' ? `phase "${name}" is ${status}` : [],
    ),
  ];
}
