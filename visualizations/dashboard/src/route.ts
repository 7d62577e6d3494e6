/**
 * Where in the dashboard somebody is: all of it stands in the address, so that a view can be linked to and reloaded.
 *
 * @module
 */

/** The views of a run. */
export const runTabs = ['graph', 'timeline', 'quality', 'records'] as const;

/** A view of a run. */
export type RunTab = (typeof runTabs)[number];

/** A place. */
export type Route =
  | { readonly page: 'home' }
  | {
      readonly page: 'runs';
      /** How runs have to stand; '' for all. */
      readonly standing: string;
      /** The name of their pipeline; '' for all. */
      readonly pipeline: string;
      /** What their id, or the name of their pipeline, has to contain; '' for all. */
      readonly text: string;
    }
  | { readonly page: 'item'; readonly item: string }
  | {
      readonly page: 'run';
      readonly run: string;
      readonly tab: RunTab;
      /** The phase that is looked at. */
      readonly phase: string | null;
      /** The record up to which the run is shown; `null` for all there are. */
      readonly at: number | null;
      /** The record that began the attempt that is looked at. */
      readonly attempt: number | null;
      /** Whether phases are a list and no graph. */
      readonly list: boolean;
      /** What names of phases have to contain; '' for all. */
      readonly find: string;
      /** How phases have to stand, or which type records have to have; '' for all. */
      readonly only: string;
    };

/** A place in a run. */
export type RunRoute = Extract<Route, { readonly page: 'run' }>;

/** The place that an address means: `#/run/<id>?tab=timeline&phase=<name>&at=<seq>`. What is none is home. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/u, '').split('?', 2);
  const [page = '', name = ''] = path.split('/').slice(1).map(decoded);
  const options = new URLSearchParams(query);
  if (page === 'runs') {
    const wanted = (option: string) => options.get(option) ?? '';
    return { page, standing: wanted('standing'), pipeline: wanted('pipeline'), text: wanted('find') };
  }
  if (page === 'item' && name !== '') return { page, item: name };
  if (page !== 'run' || name === '') return { page: 'home' };
  return {
    page,
    run: name,
    tab: runTabs.find((tab) => tab === options.get('tab')) ?? 'graph',
    phase: options.get('phase'),
    at: recordIn(options, 'at'),
    attempt: recordIn(options, 'attempt'),
    list: options.get('as') === 'list',
    find: options.get('find') ?? '',
    only: options.get('only') ?? '',
  };
}

/** The address of a place. */
export function hashOf(route: Route): string {
  switch (route.page) {
    case 'home':
      return '#/';
    case 'runs': {
      const options = new URLSearchParams();
      if (route.standing !== '') options.set('standing', route.standing);
      if (route.pipeline !== '') options.set('pipeline', route.pipeline);
      if (route.text !== '') options.set('find', route.text);
      const query = options.toString();
      return `#/runs${query === '' ? '' : `?${query}`}`;
    }
    case 'item':
      return `#/item/${encodeURIComponent(route.item)}`;
    case 'run': {
      const options = new URLSearchParams();
      if (route.tab !== 'graph') options.set('tab', route.tab);
      if (route.phase !== null) options.set('phase', route.phase);
      if (route.at !== null) options.set('at', String(route.at));
      if (route.attempt !== null) options.set('attempt', String(route.attempt));
      if (route.list) options.set('as', 'list');
      if (route.find !== '') options.set('find', route.find);
      if (route.only !== '') options.set('only', route.only);
      const query = options.toString();
      return `#/run/${encodeURIComponent(route.run)}${query === '' ? '' : `?${query}`}`;
    }
  }
}

/** All runs. */
export const ALL_RUNS = { page: 'runs', standing: '', pipeline: '', text: '' } as const satisfies Route;

/** The address of a run. */
export function hashOfRun(run: string, how: Partial<Omit<RunRoute, 'page' | 'run'>> = {}): string {
  return hashOf({ ...RUN, ...how, run });
}

// --- internal ---

const RUN = {
  page: 'run',
  tab: 'graph',
  phase: null,
  at: null,
  attempt: null,
  list: false,
  find: '',
  only: '',
} as const;

function recordIn(options: URLSearchParams, name: string): number | null {
  const seq = Number(options.get(name) ?? Number.NaN);
  return Number.isInteger(seq) && seq > 0 ? seq : null;
}

/** As it was before it was encoded, where it was encoded at all. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
