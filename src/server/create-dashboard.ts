/**
 * The dashboard as a part of another application.
 *
 * @module
 */
import { PhasegateError } from '../model/errors/phasegate-error.ts';
import type { InboxItem } from '../projections/inbox/inbox-item.ts';
import type { RunStore } from '../store/port.ts';
import { createApp } from './app.ts';
import { createContext, type CommonOptions } from './create-context.ts';
import { USER_ACTIONS, type Access, type UserAction } from './http/access.ts';
import { builtApp } from './http/assets.ts';
import { refusalOf } from './http/error-response.ts';
import { createUserGuard } from './http/user-guard.ts';

/** A user of the application, who may read all runs of the store. */
export interface DashboardUser {
  /** The name that answers and cancellations are recorded with: 1 to 200 characters. */
  readonly name: string;
  /** True, or the items that the user may answer. It is called for each answer, and for each item that is shown. @default false */
  readonly mayAnswer?: boolean | ((item: InboxItem) => boolean) | undefined;
  /** Actions that the user may take on runs. @default none */
  readonly mayAct?: readonly UserAction[] | undefined;
}

/** Options of {@link createDashboard}. */
export interface MountOptions<P = unknown> extends CommonOptions {
  readonly store: RunStore;
  /** The path at which the application has the dashboard, such as `/ops/runs`. @default '/' */
  readonly basePath?: string | undefined;
  /**
   * Finds the user of a request. `undefined` refuses it; a response is sent as it is, such as a redirect to a login.
   *
   * It is called for every request, also for those of scripts. An open event stream asks again every 5 seconds in which it has
   * something to send, and ends if it is refused.
   *
   * @param request Its body must not be read.
   * @param platform The second argument of `fetch`.
   */
  readonly authorize: (
    request: Request,
    platform: P | undefined,
  ) => DashboardUser | Response | undefined | Promise<DashboardUser | Response | undefined>;
}

/** A dashboard as a part of an application. */
export interface MountedDashboard<P = unknown> {
  /**
   * Answers a request whose URL has the whole path, including `basePath`. It never rejects.
   *
   * @param platform Anything that `authorize` needs, such as the context of the framework.
   */
  readonly fetch: (request: Request, platform?: P) => Promise<Response>;
  /** Ends the event streams, and every wait. Requests that come later get 503. Close the store after it. */
  readonly close: () => void;
}

/**
 * Creates the dashboard of a store as a handler of requests. On Node only.
 *
 * It listens on no port, and knows no token: `authorize` alone decides.
 *
 * @throws PhasegateError `INPUT_INVALID` if `authorize` is missing, `basePath` is not a path, or two pipelines have one name.
 *
 * @example
 * ```ts
 * const dashboard = createDashboard({ store, basePath: '/ops', authorize: (request) => userOf(request) });
 * app.all('/ops/*', (c) => dashboard.fetch(c.req.raw));
 * ```
 */
export function createDashboard<P = unknown>(options: MountOptions<P>): MountedDashboard<P> {
  const { store, authorize, assets = builtApp() } = options;
  if (typeof authorize !== 'function') throw openToAll();
  const base = baseOf(options.basePath ?? '/');
  const closing = new AbortController();
  const context = createContext(store, options, { farewell: new AbortController().signal, closing: closing.signal });
  const app = createApp(context, createUserGuard(context.onError), assets);
  return {
    async fetch(request, platform) {
      if (closing.signal.aborted) return new Response('The dashboard is closed', { status: 503 });
      if (request.bodyUsed) return Response.json(BODY_USED, { status: 400 });
      const url = new URL(request.url);
      // Addresses of the page are relative, so its own has to end with a slash.
      if (url.pathname === base)
        return new Response(null, { status: 308, headers: { location: `${base}/${url.search}` } });
      if (!url.pathname.startsWith(`${base}/`)) return new Response('Not found', { status: 404 });
      url.pathname = url.pathname.slice(base.length);
      const find = async (one: Request) => {
        const found = await authorize(one, platform);
        if (found instanceof Response) return found;
        return found ? accessOf(found) : undefined;
      };
      return app.fetch(new Request(url, request), { outer: { request, find } });
    },
    close() {
      closing.abort();
      for (const stream of context.streams) stream.abort();
    },
  };
}

// --- internal ---

const LONGEST_NAME = 200;

const BODY_USED = refusalOf(
  'Cannot read the request as the application has read its body',
  'Put the dashboard before parsers of bodies.',
);

/** Checks the rights that the application gives, as it may be JavaScript. Anything but an explicit permission is none. */
function accessOf({ name, mayAnswer = false, mayAct = [] }: DashboardUser): Access {
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME) throw nameless();
  return {
    user: name,
    actions: USER_ACTIONS.filter((action) => mayAct.includes(action)),
    // An answer of JavaScript may be a promise, which is no permission.
    mayAnswer: (item) => isTrue(typeof mayAnswer === 'function' ? mayAnswer(item) : mayAnswer),
    isReader: mayAnswer === false,
  };
}

function isTrue(value: unknown): boolean {
  return value === true;
}

/** The path without a slash at its end; empty for the root. */
function baseOf(path: string): string {
  const base = path.replace(/\/$/u, '');
  if (base === '' || (base.length <= 200 && /^(?:\/[\w.~-]+)+$/u.test(base) && !/\/\.\.?(?:\/|$)/u.test(base)))
    return base;
  throw new PhasegateError(
    'INPUT_INVALID',
    `Cannot create a dashboard as its basePath must be a path: ${JSON.stringify(path.slice(0, 200))}`,
    {
      hint: 'Begin with a slash, and use letters, digits and - _ . ~ only, such as /ops/runs.',
    },
  );
}

function openToAll(): PhasegateError {
  const problem =
    'Cannot create a dashboard as `authorize` must be a function: everybody could read all runs and answer';
  return new PhasegateError('INPUT_INVALID', problem, {
    hint: 'Return the user of a request from it. For this machine only, use serveDashboard, which has a token.',
  });
}

function nameless(): Error {
  return new TypeError(`authorize must return a user whose name has 1 to ${LONGEST_NAME} characters`);
}
