/**
 * Runs, items and memories in rows. A damaged run or item does not hide the others: it is listed with what is left of it.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { RunInfo } from '../../projections/run/run-info.ts';
import { damaged, damagedInfo, damagedItem, runStatusOf, unlessDamaged } from '../damage.ts';
import { leaseFields } from '../lease-rules.ts';
import { matchesMemory } from '../memory-rules.ts';
import type { ListedRun, Memory, MemoryFilter } from '../port.ts';
import { infoOf, itemOf, memoryOf } from '../serialize.ts';
import { checkedText, claimIn, number, text, type Row } from './rows.ts';

/** The run in a row. */
export function listedIn(row: Row, now: number): ListedRun {
  const runId = text(row, 'id');
  const checkedFrom = Number(row['checked_from'] ?? 1);
  return {
    ...unlessDamaged(
      () => infoIn(row, runId),
      (damage) => damagedInfo(columnsOf(row, runId), damage),
    ),
    ...(checkedFrom > 1 && { checkedFrom }),
    ...leaseFields(claimIn(row, runId), now),
  };
}

/** The part of a stored `info` that names the version of a run. Quotes within texts are escaped, so nothing else contains it. */
export function fingerprintText(fingerprint: string): string {
  return `"fingerprint":${JSON.stringify(fingerprint)}`;
}

/** The item in a row. @throws `STORE_UNREADABLE` */
export function itemIn(row: Row): InboxItem {
  const id = text(row, 'id');
  const runId = runOf(row);
  const item = itemOf(checkedText(row, 'item', `item ${id}`, runId));
  const isSame =
    item.id === id &&
    item.runId === runId &&
    item.openedAt === row['opened_at'] &&
    (item.closedAt === undefined) === isOpen(row);
  if (isSame) return item;
  throw contradiction(`item ${id}`, runId);
}

/** The item in a row; if it is damaged, one that says so. */
export function openItemIn(row: Row): InboxItem {
  return unlessDamaged(
    () => itemIn(row),
    (damage) =>
      damagedItem(
        {
          id: text(row, 'id'),
          runId: runOf(row),
          pipeline: typeof row['pipeline'] === 'string' ? row['pipeline'] : '',
          openedAt: number(row, 'opened_at'),
          isOpen: isOpen(row),
        },
        damage,
      ),
  );
}

/** The memory in a row; `undefined` if it is damaged, as no run needs it. */
export function memoryIn(row: Row): Memory | undefined {
  return unlessDamaged(
    () => memoryOf(checkedText(row, 'memory', 'a memory', 'that is not known')),
    () => undefined,
  );
}

/** True if a filter for memories covers a row. A damaged one is covered with those of its phase, as its run is not known. */
export function isForgotten(row: Row, filter: MemoryFilter): boolean {
  const memory = memoryIn(row);
  return memory ? matchesMemory(memory, filter) : filter.runId === undefined;
}

// --- internal ---

/** The column `open`, which is a number in databases without truth values. */
function isOpen(row: Row): boolean {
  return row['open'] === true || row['open'] === 1;
}

/** The run of an item. If its row is gone, the id of the item still has it. */
function runOf(row: Row): string {
  const id = text(row, 'id');
  return typeof row['run_id'] === 'string' ? row['run_id'] : id.slice(0, Math.max(0, id.lastIndexOf(':')));
}

type Columns = Pick<RunInfo, 'runId' | 'pipeline' | 'status' | 'startedAt' | 'updatedAt' | 'seq'>;

/** The columns by which runs are found. Each is also in the text of its run. */
function columnsOf(row: Row, runId: string): Columns {
  return {
    runId,
    pipeline: text(row, 'pipeline'),
    status: runStatusOf(text(row, 'status')),
    startedAt: number(row, 'started_at'),
    updatedAt: number(row, 'updated_at'),
    seq: number(row, 'seq'),
  };
}

function infoIn(row: Row, runId: string): RunInfo {
  const info = infoOf(checkedText(row, 'info', 'the row', runId));
  const columns = { ...columnsOf(row, runId), status: text(row, 'status') };
  if (Object.entries(columns).every(([key, value]) => Reflect.get(info, key) === value)) return info;
  throw contradiction('the row', runId);
}

function contradiction(what: string, runId: string): PhasegateError {
  return damaged(what, runId, 'its columns are not those of its text');
}
