/**
 * The rights of the user of a request.
 *
 * @module
 */
import type { InboxItem } from '../../projections/inbox/inbox-item.ts';

/** A change of runs, other than an answer. */
export type UserAction = 'start' | 'resume' | 'retry' | 'cancel' | 'fork';

/** All of them. */
export const USER_ACTIONS: readonly UserAction[] = ['start', 'resume', 'retry', 'cancel', 'fork'];

/** A user who may read everything, and perhaps more. */
export interface Access {
  /** The name that answers are recorded with. */
  readonly user: string;
  readonly actions: readonly UserAction[];
  readonly mayAnswer: (item: InboxItem) => boolean;
  /** True if the user may answer no item. */
  readonly isReader: boolean;
}

/** Creates the access of a user who may do everything, or only read. */
export function accessOf(user: string, readOnly: boolean): Access {
  return readOnly
    ? { user, actions: [], mayAnswer: () => false, isReader: true }
    : { user, actions: USER_ACTIONS, mayAnswer: () => true, isReader: false };
}
