/**
 * The variables of a request.
 *
 * @module
 */
import type { Access } from './access.ts';

/** The types that Hono needs for each request. */
export interface Env {
  readonly Bindings: {
    /** The request as the application got it, if the dashboard is a part of one. */
    readonly outer?: Outer;
  };
  readonly Variables: {
    access: Access;
    /** Asks again for the rights of the user: false if there are none left. Absent if they do not change. */
    mayStay?: () => Promise<boolean>;
  };
}

/** A request of an application. */
export interface Outer {
  readonly request: Request;
  /** Finds the rights of a request; a response of the application, such as a redirect to its login; or nothing. */
  readonly find: (request: Request) => Promise<Access | Response | undefined>;
}
