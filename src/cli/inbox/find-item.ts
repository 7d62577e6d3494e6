/**
 * Lookup of the inbox item that a user names.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { cutList } from '../../model/values/counts.ts';
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';
import type { OpenStore } from '../options/store-option.ts';
import { oneLine } from '../terminal/text.ts';

/**
 * Finds an item by its id, or by an unambiguous beginning or end of its id. Open items take precedence over closed ones.
 *
 * @throws PhasegateError `ITEM_UNKNOWN` if no item matches, or several do.
 */
export async function findItem({ store, name }: OpenStore, wanted: string): Promise<InboxItem> {
  const exact = await store.item(wanted);
  if (exact) return exact;
  const text = wanted.toUpperCase();
  const all = text === '' ? [] : await store.inbox();
  const alike = all.filter(({ id }) => id.toUpperCase().startsWith(text) || id.toUpperCase().endsWith(text));
  const open = alike.filter(({ closedAt }) => closedAt === undefined);
  const found = open.length > 0 ? open : alike;
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw only ? ambiguous(wanted, found) : unknown(wanted, name);
}

// --- internal ---

/** The most items that the message about an ambiguous id names. */
const MOST_NAMED = 5;

function shown(text: string): string {
  return JSON.stringify(oneLine(text));
}

function unknown(wanted: string, file: string): PhasegateError {
  const problem = `Cannot find item ${shown(wanted)} as no id in the store ${file} is that, begins with it or ends with it`;
  return new PhasegateError('ITEM_UNKNOWN', problem, { hint: 'List the items with: phasegate inbox' });
}

function ambiguous(wanted: string, found: readonly InboxItem[]): PhasegateError {
  const named = cutList(found, MOST_NAMED, ({ id, about }) => `${oneLine(id)}  ${oneLine(about)}`);
  const problem = `Cannot tell which item ${shown(wanted)} is as ${found.length} ids begin or end with it:\n  ${named.join('\n  ')}`;
  return new PhasegateError('ITEM_UNKNOWN', problem, { hint: 'Give more of the id, from its beginning or its end.' });
}
