/**
 * Addresses of databases as names of stores.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { postgresStore } from '../../postgres.ts';
import type { RunStore } from '../../store/port.ts';
import { withoutSecrets } from '../../store/postgres/place.ts';

/** True if the name of a store is an address, and not that of a file. */
export function isAddress(named: string): boolean {
  return /^[a-z][a-z+.-]*:\/\//iu.test(named);
}

/** The name of a store as a person may see it: an address without its password. */
export function shownName(named: string): string {
  return isAddress(named) ? withoutSecrets(named) : named;
}

/**
 * Opens the store at an address. The first use connects.
 *
 * @param address Such as `postgres://ada@db.example.com/runs?schema=team`; the schema is optional.
 * @returns The store, and its address without a password.
 * @throws PhasegateError `INPUT_INVALID` if it is no address of a Postgres database.
 */
export function openPostgres(address: string): { readonly store: RunStore; readonly name: string } {
  const isPostgres = /^postgres(?:ql)?:\/\//iu.test(address);
  if (!isPostgres || !URL.canParse(address)) {
    // The text may have a password at any place.
    const found = isPostgres ? 'it is not well-formed' : 'it is not that of a Postgres database';
    throw new PhasegateError('INPUT_INVALID', `Cannot open a store at this address as ${found}`, {
      hint: 'Give a file, or an address such as postgres://ada@db.example.com/runs. Write @, : and / in a password as %40, %3A and %2F.',
    });
  }
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? undefined;
  url.searchParams.delete('schema');
  return { store: postgresStore({ connectionString: url.href, schema }), name: shownName(address) };
}
