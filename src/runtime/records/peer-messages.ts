/**
 * Messages from other processes to a run.
 *
 * @module
 */
import { readAnswerBody, type AnswerBody } from '../../projections/inbox/reply.ts';
import type { RunStore } from '../../store/port.ts';
import type { RecordLog } from './record-log.ts';

/** A message from another process to a run. */
export type PeerMessage =
  | { readonly kind: 'cancel'; readonly body: unknown }
  | ({ readonly kind: 'answer'; readonly item: string; readonly by: string } & AnswerBody);

/**
 * Receives the messages to a run after a place.
 *
 * @param onMessage Called with each message.
 * @param onPlace Called before, with the place of each.
 */
export async function receiveMessages(
  store: Pick<RunStore, 'messages'>,
  log: RecordLog,
  after: number,
  onMessage: (message: PeerMessage) => void,
  onPlace: (id: number) => void,
): Promise<void> {
  for (const { id, kind, item, body, by, time } of await store.messages(log.runId, after)) {
    onPlace(id);
    if (kind === 'cancel' && time <= lastReopened(log)) continue;
    if (kind === 'cancel') onMessage({ kind, body });
    else if (item !== undefined) onMessage({ kind, item, by, ...readAnswerBody(body) });
  }
}

// --- internal ---

/** Time of the last retry, in milliseconds since 1970. Earlier messages to cancel are ignored. */
function lastReopened({ events, times }: RecordLog): number {
  return times[events.findLastIndex(({ type }) => type === 'run.reopened')] ?? -Infinity;
}
