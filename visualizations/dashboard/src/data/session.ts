/**
 * What the server has said of itself.
 *
 * @module
 */
import { createContext, useContext } from 'react';
import type { Session } from '../../../../src/server/api.ts';

/** Known before anything else is shown. */
export const SessionContext = createContext<Session | null>(null);

/** What the server has said of itself. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nothing is shown before the session is known');
  return session;
}
