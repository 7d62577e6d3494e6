/**
 * Reasons not to resume or retry a stored run.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { EventOf, RunRecord } from '../../model/events/event.ts';
import { changeLines } from '../../model/plan/plan-diff.ts';

/**
 * Refuses to resume a run that has ended, and to retry one that has not ended or was completed.
 *
 * @throws PhasegateError `RUN_ENDED`, `RUN_NOT_ENDED`
 */
export function checkEnd(
  runId: string,
  records: readonly RunRecord[],
  end: EventOf<'run.ended'> | undefined,
  how: 'resume' | 'retry',
): void {
  if (!end) {
    if (how === 'resume') return;
    throw new PhasegateError('RUN_NOT_ENDED', `Cannot try run ${runId} again as it has not ended`, {
      hint: 'Resume it with resumeRun() or phasegate resume. Approved phases are not run again.',
    });
  }
  const refused = (found: string, hint: string) =>
    new PhasegateError(
      'RUN_ENDED',
      `Cannot ${how === 'resume' ? `resume run ${runId}` : `try run ${runId} again`} as it ${found}`,
      { hint },
    );
  if (end.status === 'completed') throw refused('was completed', 'Fork it to run a part of it again.');
  if (!records.some(({ event }) => event.type === 'phase.started'))
    throw refused(`ended before it began: ${end.status}`, 'Its input was not recorded. Start another run.');
  if (how === 'resume')
    throw refused(`has ended: ${end.status}`, 'Retry its unapproved phases with retryRun(), or fork it.');
}

/** The error for a definition that differs from the one that the run was started with. */
export function runChanged(
  runId: string,
  name: string,
  changes: readonly string[],
  how: 'resume' | 'retry',
): PhasegateError {
  const [what, hint] =
    how === 'resume'
      ? [
          `resume run ${runId}`,
          'Resume it with the definition that it was started with; or allow the change (`allowChanged: true`), if it is about phases that have not begun, or limits that were not reached.',
        ]
      : [
          `try run ${runId} again`,
          'Give the definition that it was started with; or allow the change (`allowChanged: true`), if it is about limits, or phases that were not approved.',
        ];
  const problem = `Cannot ${what} as the definition of "${name}" has changed:${changeLines(changes)}`;
  return new PhasegateError('RUN_CHANGED', problem, { hint });
}
