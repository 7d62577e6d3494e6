/**
 * Reading of runs by a program, also while another program keeps the store busy.
 *
 * @module
 */
import type { RunRecord } from '../../model/events/event.ts';
import type { RunStore } from '../../store/port.ts';
import { readRun as readFrom } from '../../store/read-run.ts';
import { patientStore } from './patient-store.ts';

/**
 * Reads records of a run, with references replaced by their values. Waits for a busy store, 30 seconds at most.
 *
 * @param from Number of the first. @default 1
 * @param limit Most records. @default no limit
 * @throws PhasegateError `STORE_UNREADABLE` if a value that a record refers to is missing, or does not match its hash.
 */
export function readRun(store: RunStore, runId: string, from = 1, limit?: number): Promise<readonly RunRecord[]> {
  return readFrom(patientStore(store), runId, from, limit);
}
