/**
 * The frame of every page.
 *
 * @module
 */
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import type { Session } from '../../../src/server/api.ts';
import { type Asked, UNREACHABLE, useAsked } from './data/ask.ts';
import { type Changes, ChangesContext, useChangeStream } from './data/changes.ts';
import { ClockContext, useServerAhead } from './data/now.ts';
import { SessionContext } from './data/session.ts';
import { HomePage } from './home/home-page.tsx';
import { inOneLine, startOf } from './parts/untrusted-text.ts';
import { NotifyChoice } from './notify/notify-choice.tsx';
import { type PageMark, PageMarkContext, showIcon } from './parts/page-mark.ts';
import { RefusalNote } from './parts/refusal-note.tsx';
import { ThemeChoice } from './parts/theme.tsx';
import { useRoute } from './navigate.ts';
import { focusMain, usePageFocus } from './page-focus.ts';
import { ComparePage, ItemPage, RunPage, SearchPage, StartPage } from './pages.ts';
import { ALL_RUNS, hashOf, type Route } from './route.ts';
import { RunsPage } from './runs/runs-page.tsx';

/** The app. */
export function App(): ReactNode {
  const changes = useChangeStream();
  const session = useAsked<Session>('/api/session', changes.connected ? 'connected' : changes.cuts);
  const route = useRoute();
  const { open } = changes;
  const ahead = useServerAhead('value' in session ? session.value : undefined);
  const [mark, setMark] = useState<PageMark | null>(null);
  usePageFocus(route);
  useEffect(() => {
    document.title = `${open ? `(${open}) ` : ''}${mark?.title ?? titleOf(route)} · phasegate`;
    showIcon(mark?.tone ?? (open ? 'warn' : 'dim'));
  }, [open, route, mark]);
  if (session.state === 'loading') return <p className="quiet page">Loading…</p>;
  if (session.state === 'refused' && !session.value)
    return (
      <main className="page">
        <RefusalNote error={session.error} />
      </main>
    );
  const known = session.value;
  if (!known) return null;
  return (
    <SessionContext value={known}>
      <ChangesContext value={changes}>
        <a className="skip-link" href="#main" onClick={toMain}>
          Skip to content
        </a>
        <header className="top">
          <a className="brand" href={hashOf({ page: 'home' })}>
            phasegate
          </a>
          <nav aria-label="Main">
            <NavLink to={{ page: 'home' }} here={route}>
              Needs you{open === null ? '' : ` (${open})`}
            </NavLink>
            <NavLink to={ALL_RUNS} here={route}>
              Runs
            </NavLink>
            <NavLink to={{ page: 'search', text: '', run: '' }} here={route}>
              Search
            </NavLink>
            {known.actions.includes('start') ? (
              <NavLink to={{ page: 'start', pipeline: '' }} here={route}>
                Start
              </NavLink>
            ) : null}
          </nav>
          <span className="quiet store" title={inOneLine(known.store)}>
            {inOneLine(known.store)}
          </span>
          <NotifyChoice />
          <ThemeChoice />
          {known.readOnly ? <span className="tag">read-only</span> : null}
        </header>
        <Connection changes={changes} session={session} />
        <main id="main" className="page" tabIndex={-1}>
          <PageMarkContext value={setMark}>
            <ClockContext value={ahead}>
              <Suspense fallback={<p className="quiet">Loading…</p>}>
                <Page route={route} />
              </Suspense>
            </ClockContext>
          </PageMarkContext>
        </main>
      </ChangesContext>
    </SessionContext>
  );
}

// --- internal ---

function Page({ route }: { readonly route: Route }): ReactNode {
  switch (route.page) {
    case 'home':
      return <HomePage />;
    case 'runs':
      return <RunsPage route={route} />;
    case 'start':
      return <StartPage route={route} />;
    case 'search':
      return <SearchPage route={route} />;
    case 'compare':
      return <ComparePage key={`${route.run} ${route.other}`} route={route} />;
    case 'item':
      return <ItemPage key={route.item} id={route.item} />;
    case 'run':
      return <RunPage key={route.run} route={route} />;
    case 'unknown':
      return <UnknownPage path={route.path} />;
  }
}

function UnknownPage({ path }: { readonly path: string }): ReactNode {
  return (
    <>
      <h1>This address leads nowhere</h1>
      <p>
        There is no page <code>#{startOf(path, 200)}</code>. See <a href={hashOf({ page: 'home' })}>what needs you</a>,
        or <a href={hashOf(ALL_RUNS)}>all runs</a>.
      </p>
    </>
  );
}

/** A banner about the connection to the server, if there is a problem. */
function Connection({ changes, session }: { readonly changes: Changes; readonly session: Asked<Session> }): ReactNode {
  const isElsewhere = session.state === 'refused' && session.error.code !== UNREACHABLE;
  if (changes.isOver && !isElsewhere) {
    return (
      <output className="banner over">
        phasegate has ended, as its run has ended or was suspended. This page shows the last state. To continue, start{' '}
        <code>phasegate ui</code>.
      </output>
    );
  }
  if (changes.connected && changes.problem === null) return null;
  return (
    <p className="banner" role="alert">
      {problemOf(changes, session)}. This page may be out of date. It keeps trying to reconnect.
    </p>
  );
}

interface NavLinkProps {
  readonly to: Route;
  readonly here: Route;
  readonly children: ReactNode;
}

function NavLink({ to, here, children }: NavLinkProps): ReactNode {
  return (
    <a href={hashOf(to)} aria-current={to.page === here.page ? 'page' : undefined}>
      {children}
    </a>
  );
}

/** The problem in words. The server may also respond, but refuse this page. */
function problemOf({ problem }: Changes, session: Asked<Session>): string {
  if (problem !== null || session.state !== 'refused' || session.error.code === UNREACHABLE)
    return problem ?? 'The dashboard server does not respond';
  if (session.error.code === 'REQUEST_REFUSED')
    return 'Another dashboard now runs on this port. Open the URL that it printed at its start';
  const { message, hint } = session.error;
  return hint === undefined ? message : `${message}. ${hint.replace(/\.$/u, '')}`;
}

function titleOf(route: Route): string {
  switch (route.page) {
    case 'home':
      return 'Needs you';
    case 'runs':
      return 'Runs';
    case 'start':
      return 'Start a run';
    case 'item':
      return `Item ${startOf(route.item, 80)}`;
    case 'search':
      return 'Search';
    case 'compare':
      return 'Compare runs';
    case 'run':
      return `Run ${startOf(route.run, 80)}`;
    case 'unknown':
      return 'Unknown address';
  }
}

/** The URL hash is for routes, so the link does not change it. */
function toMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  focusMain();
}
