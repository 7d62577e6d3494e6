/**
 * The end of a run as it can be compared with that of another which went on from the same records.
 *
 * @module
 */
import { foldRun, type RunEvent, type RunRecord } from '../../src/records.ts';
import { lineOf } from '../line.ts';

/**
 * The end of a run, as lines by phase; those of the run itself are under no name. Work that was interrupted is done
 * again, so what tasks say is left out.
 */
export type Ending = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the status of a run, and the events of each phase in order.
 *
 * @param isLoose Leaves out the events that led to the outputs of a phase.
 */
export function endingOf(records: readonly RunRecord[], isLoose = false): Ending {
  const view = foldRun();
  const told: Record<string, string[]> = {};
  for (const record of records) {
    view.apply(record);
    const { event } = record;
    if (isLoose || !('phase' in event) || !isTold(event)) continue;
    const line = lineOf(event.type === 'phase.rejected' ? { ...event, reason: '' } : event, ['reviews']);
    if (line !== undefined) (told[event.phase] ??= []).push(line.replaceAll(BY_TASK, '@'));
  }
  const { status, reason, limit, waiting, phases } = view.snapshot();
  for (const [name, one] of Object.entries(phases)) {
    // Another version may word a rejection differently: the verdict is compared.
    const why = one.status === 'rejected' ? null : one.reason;
    (told[name] ??= []).push(`${one.status} ${JSON.stringify([why, one.outputs, isLoose || one.stale])}`);
  }
  return { ...told, '': [status, `${reason}`, `${limit}`, ...waiting] };
}

/** The first line in which two ends differ; `null` if there is none. */
export function differenceOf(one: Ending, other: Ending): string | null {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [lines = [], others = []] = [one[name], other[name]];
    for (let at = 0; at < Math.max(lines.length, others.length); at++) {
      const [line = 'nothing', was = 'nothing'] = [lines[at], others[at]];
      if (line !== was) return `${name} has ${line}, and had ${was}`;
    }
  }
  return null;
}

// --- internal ---

/** The tasks of which a phase has read the outputs: a process that takes a run over does not know them. */
const BY_TASK = /\.[^\s@]+@/gu;

function isTold({ type }: RunEvent): boolean {
  return type !== 'phase.warned' && type !== 'review.started' && !type.startsWith('task.');
}
