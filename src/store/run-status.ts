/**
 * Status of a stored run, in one word.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { ListedRun } from './port.ts';

/** All statuses. */
export const standings = [
  'queued',
  'running',
  'waiting',
  'suspended',
  'completed',
  'rejected',
  'failed',
  'cancelled',
  'exhausted',
  'damaged',
] as const;

/**
 * Status of a run: a `queued` one has its first record only, and no process has taken it yet; `waiting` is for a person; a `suspended` one
 * has begun and can be resumed at once; the row of a `damaged` one was changed.
 */
export type Standing = (typeof standings)[number];

/** Determines the status of a run. Its lease matters only if it has not ended and waits for no person. */
export function standingOf({
  status,
  waiting,
  lease,
  lapsed,
  seq,
  damage,
}: Pick<ListedRun, 'status' | 'waiting' | 'lease' | 'lapsed' | 'seq' | 'damage'>): Standing {
  if (damage !== undefined) return 'damaged';
  if (status !== 'running') return status;
  if (waiting.length > 0) return 'waiting';
  if (lease) return 'running';
  // A process whose lease has lapsed had taken the run, even if it was killed before its first record.
  return seq === 1 && !lapsed ? 'queued' : 'suspended';
}

/** Parses statuses that are separated by commas. @throws PhasegateError `INPUT_INVALID` */
export function readStandings(text: string): ReadonlySet<Standing> {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !standings.some((one) => one === name));
  if (unknown === undefined) return new Set(standings.filter((one) => names.includes(one)));
  throw new PhasegateError('INPUT_INVALID', `Cannot list runs by status ${JSON.stringify(unknown)}`, {
    hint: `Use one of ${standings.join(', ')}; or several, separated by commas.`,
  });
}
