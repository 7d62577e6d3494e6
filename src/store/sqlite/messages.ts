/**
 * Messages as rows.
 *
 * @module
 */
import { runsAbove } from '../../model/handlers/work-key.ts';
import type { RunStore } from '../port.ts';
import { answered, checkMessage, itemUnknown, runUnknown } from '../refusals.ts';
import { checksumOf } from '../checksum.ts';
import { itemOf, messageOf, textOf } from '../serialize.ts';
import type { Connection } from './connection.ts';
import { checkedText, number } from '../sql/rows.ts';

/** The methods of a store for messages. */
export function messagesIn({ sql, read, write }: Connection): Pick<RunStore, 'post' | 'messages' | 'lastMessage'> {
  /** Refuses an answer to an item that does not wait for one. */
  function checkAnswer(run: number, runId: string, id: string): void {
    const row = sql(ITEM).get(id, run);
    if (!row) throw itemUnknown('answer', runId, id);
    const item = itemOf(checkedText(row, 'item', `item ${id}`, runId));
    if (item.closedAt !== undefined) throw answered(id, item.outcome ?? 'no outcome');
    if (row['answer'] !== null) throw answered(id, undefined);
  }

  return {
    post(message) {
      checkMessage(message);
      const { runId, kind, item } = message;
      const answers = kind === 'answer' ? item : undefined;
      const messageText = textOf(message);
      const sum = checksumOf(messageText);
      write(`post to run ${runId}`, () => {
        const row = sql('SELECT key FROM runs WHERE id = ?').get(runId);
        if (!row) throw runUnknown('post to', runId);
        const run = number(row, 'key');
        if (answers !== undefined) checkAnswer(run, runId, answers);
        const { lastInsertRowid } = sql(POST).run(run, answers ?? null, messageText, sum);
        sql(WAKE).run(-Number(lastInsertRowid), JSON.stringify([runId, ...runsAbove(runId)]));
      });
    },
    messages(runId, after = 0) {
      return read(`read messages to run ${runId}`, () =>
        sql(MESSAGES)
          .all(runId, after)
          .map((row) => {
            const id = number(row, 'id');
            return { ...messageOf(checkedText(row, 'message', `message ${id}`, runId)), id };
          }),
      );
    },
    lastMessage() {
      return read('look for messages', () => {
        const row = sql(LAST).get();
        return row ? number(row, 'seq') : 0;
      });
    },
  };
}

// --- internal ---

const ITEM = `SELECT item, CAST(sum AS REAL) AS sum, (SELECT id FROM messages WHERE answers = items.id) AS answer FROM items
  WHERE id = ? AND run = ?`;
const MESSAGES =
  'SELECT id, message, CAST(sum AS REAL) AS sum FROM messages WHERE run = (SELECT key FROM runs WHERE id = ?) AND id > ? ORDER BY id';
const POST = 'INSERT INTO messages (run, answers, message, sum) VALUES (?, ?, ?, ?)';
/** A time below 0 is the negative place of a message, by which `suspend` finds messages to runs that tasks have started. */
const WAKE = "UPDATE runs SET ready_at = ? WHERE id IN (SELECT value FROM json_each(?)) AND status = 'running'";
/** SQLite's own counter, which does not shrink when messages are removed. */
const LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'messages'";
