/**
 * Errors for stored runs that something other than phasegate has changed, or a fault of the disk.
 *
 * @module
 */
import { hasCode, PhasegateError } from '../model/errors/phasegate-error.ts';
import { shellWord } from '../model/values/shell-word.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { RunInfo } from '../projections/run/run-info.ts';
import type { ListedRun } from './port.ts';

/**
 * The error for damage of one run.
 *
 * @param what Such as `record 7`.
 * @param found Such as `its text does not match its checksum`.
 * @param good Number of records before the damage, if it is in the records.
 */
export function damaged(what: string, runId: string, found: string, good?: number): PhasegateError {
  const before = good ? `; records up to ${good} can be read` : '';
  return new PhasegateError('STORE_UNREADABLE', `Cannot read ${what} of run ${runId} as ${found}${before}`, {
    hint: damageHint(runId, good),
  });
}

/** The next step for a damaged run. @param good Number of records before the damage, if it is in the records. */
export function damageHint(runId: string, good?: number): string {
  return `Check the run: phasegate verify ${shellWord(runId)}. ${restoreHint(runId, good)}`;
}

/** The repair of a damaged run. @param store The `--store` argument of the command. @default none */
export function restoreHint(runId: string, good = 0, store = ''): string {
  const fork = `, or continue with the records that are good: phasegate fork ${shellWord(runId)} --at ${good}${store}`;
  return `Restore the store from a copy of it${good === 0 ? '.' : fork}`;
}

/** The repair of a damaged plan. The new one has the same hash, so its runs can be read again. */
export function renewHint(store = ''): string {
  return `Store the plan again for all these runs, by another run of the same definition: phasegate run <pipeline> --detach${store}. Cancel that run afterwards. Or restore the store from a copy of it.`;
}

/** The error for a plan that is missing or was changed. Runs of one definition share it. */
export class PlanDamagedError extends PhasegateError {
  constructor(problem: string) {
    super('STORE_UNREADABLE', problem, { hint: renewHint() });
  }
}

/** The reason of a damaged item, as a code. */
export const DAMAGED = 'STORE_UNREADABLE';

/** Says that a text is not the stored one. */
export const MISMATCH = 'its text does not match its checksum';

/** The damage that an error names, without the next step. */
export function sentenceOf({ message }: PhasegateError): string {
  return message.slice(0, message.search(/\n|$/u));
}

/** A status in a row; `failed` if the row has none. */
export function runStatusOf(text: string): RunInfo['status'] {
  return STATUSES.find((status) => status === text) ?? 'failed';
}

/** Refuses to work on a run whose row is damaged. @param action Such as `resume`. @throws `STORE_UNREADABLE` */
export function refuseDamaged(action: string, { runId, damage }: ListedRun): void {
  if (damage === undefined) return;
  throw new PhasegateError('STORE_UNREADABLE', `Cannot ${action} run ${runId}: ${damage}`, { hint: damageHint(runId) });
}

/** A run whose row is damaged, as lists show it. @param known The columns of its row. */
export function damagedInfo(
  known: Pick<RunInfo, 'runId' | 'pipeline' | 'status' | 'startedAt' | 'updatedAt' | 'seq'>,
  damage: PhasegateError,
): RunInfo & { readonly damage: string } {
  const unknown = { fingerprint: '', approved: 0, phases: 0, costUsd: 0, tokens: 0, waiting: [] };
  return { ...known, ...unknown, damage: sentenceOf(damage) };
}

/** A damaged item, as lists show it: its reason is the damage. An answer to it is refused, as its row cannot be read. */
export function damagedItem(
  { isOpen, ...known }: Pick<InboxItem, 'id' | 'runId' | 'pipeline' | 'openedAt'> & { readonly isOpen: boolean },
  damage: PhasegateError,
): InboxItem {
  return {
    ...known,
    seq: Number(known.id.slice(known.id.lastIndexOf(':') + 1)),
    kind: 'escalation',
    about: 'damaged item',
    generation: 1,
    attempt: 1,
    because: DAMAGED,
    reason: `${sentenceOf(damage)}. ${damageHint(known.runId)}`,
    nonce: '',
    queue: 'default',
    severity: 'high',
    ...(!isOpen && { closedAt: known.openedAt, outcome: 'damaged' }),
  };
}

/** Returns what a function reads; or, if that is damaged, something else. */
export function unlessDamaged<T>(read: () => T, otherwise: (damage: PhasegateError) => T): T {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'STORE_UNREADABLE')) return otherwise(error);
    throw error;
  }
}

// --- internal ---

const STATUSES: readonly RunInfo['status'][] = ['running', 'completed', 'rejected', 'failed', 'cancelled', 'exhausted'];
