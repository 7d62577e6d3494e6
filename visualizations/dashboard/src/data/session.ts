/**
 * Information about the server.
 *
 * @module
 */
import { createContext, useContext } from 'react';
import type { Session } from '../../../../src/server/api.ts';

/** The session. It is set before any page is shown. */
export const SessionContext = createContext<Session | null>(null);

/** Reads the session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nothing is shown before the session is known');
  return session;
}
