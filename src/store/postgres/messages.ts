/**
 * Messages as rows.
 *
 * @module
 */
import { newId } from '../../model/values/new-id.ts';
import { checksumOf } from '../checksum.ts';
import { runsAbove } from '../../model/handlers/work-key.ts';
import type { RunStore } from '../port.ts';
import { answered, checkMessage, itemUnknown, runUnknown } from '../refusals.ts';
import { itemOf, messageOf, textOf } from '../serialize.ts';
import { checkedText, number } from '../sql/rows.ts';
import type { Connection } from './connection.ts';
import type { Ask } from './place.ts';
import { idOrNull, TELL } from './selects.ts';

/** The methods of a store for messages. */
export function messagesIn({
  ask: askFor,
  transaction,
}: Connection): Required<Pick<RunStore, 'post' | 'messages' | 'lastMessage'>> {
  return {
    async post(message) {
      checkMessage(message);
      const { runId, kind, item } = message;
      const answers = kind === 'answer' ? item : undefined;
      const stored = textOf(message);
      // By its mark, a message is found that was posted although the server did not say so.
      const mark = newId();
      await transaction(`post to run ${runId}`, async (ask, isAgain) => {
        // The rows are locked, so that messages to a run are committed in the order of their places, and `suspend` finds each.
        const rows = await ask(RUNS, [[runId, ...runsAbove(runId)].flatMap((id) => idOrNull(id) ?? [])]);
        const run = rows.find(({ id, has_records }) => id === runId && has_records === true);
        if (isAgain && (await ask(MARKED, [mark])).length > 0) return;
        if (!run) throw runUnknown('post to', runId);
        const key = number(run, 'key');
        if (answers !== undefined) await checkAnswer(ask, { key, runId, id: answers });
        await ask(POST, [
          key,
          answers ?? null,
          mark,
          stored,
          checksumOf(stored),
          rows.map((row) => number(row, 'key')),
        ]);
      });
    },
    async messages(runId, after = 0) {
      const rows = await askFor(`read messages to run ${runId}`, MESSAGES, [idOrNull(runId), after]);
      return rows.map((row) => {
        const id = number(row, 'id');
        return { ...messageOf(checkedText(row, 'message', `message ${id}`, runId)), id };
      });
    },
    async lastMessage() {
      const [row = {}] = await askFor('look for messages', LAST);
      return number(row, 'posted');
    },
  };
}

// --- internal ---

/** Refuses an answer to an item that does not wait for one. */
async function checkAnswer(
  ask: Ask,
  { key, runId, id }: { readonly key: number; readonly runId: string; readonly id: string },
): Promise<void> {
  const [row] = await ask(ITEM, [idOrNull(id), key]);
  if (!row) throw itemUnknown('answer', runId, id);
  const item = itemOf(checkedText(row, 'item', `item ${id}`, runId));
  if (item.closedAt !== undefined) throw answered(id, item.outcome ?? 'no outcome');
  if (row['has_answer'] === true) throw answered(id, undefined);
}

const RUNS = `SELECT id, key::float8 AS key, seq > 0 AS has_records FROM phasegate.runs WHERE id = ANY($1::text[])
  ORDER BY key FOR UPDATE`;
const MARKED = 'SELECT id FROM phasegate.messages WHERE mark = $1';
const ITEM = `SELECT item, sum::float8 AS sum, EXISTS (SELECT FROM phasegate.messages WHERE answers = items.id) AS has_answer
  FROM phasegate.items WHERE id = $1 AND run = $2`;
/** The counter is locked until the end of the transaction, so that its value tells of committed messages only. */
const POST = `WITH counter AS (UPDATE phasegate.store SET posted = posted + 1 RETURNING posted),
  new_message AS (
    INSERT INTO phasegate.messages (id, run, answers, mark, message, sum) SELECT posted, $1, $2, $3, $4, $5 FROM counter)
  UPDATE phasegate.runs SET last_message = posted, ready_at = CASE WHEN status = 'running' THEN 0 END
  FROM counter WHERE key = ANY($6::bigint[]) RETURNING ${TELL}`;
const MESSAGES = `SELECT messages.id::float8 AS id, message, messages.sum::float8 AS sum
  FROM phasegate.messages JOIN phasegate.runs ON key = run WHERE runs.id = $1 AND messages.id > $2 ORDER BY messages.id`;
const LAST = 'SELECT posted::float8 AS posted FROM phasegate.store';
