/**
 * The routes of the dashboard. A URL contains the whole state of a view, so users can link to it and reload it.
 *
 * @module
 */

/** The views of a run. */
export const runTabs = ['graph', 'timeline', 'quality', 'records'] as const;

/** A view of a run. */
export type RunTab = (typeof runTabs)[number];

/** A route. */
export type Route =
  | { readonly page: 'home' }
  | {
      readonly page: 'runs';
      /** The status of the runs to show; '' for all. */
      readonly standing: string;
      /** The name of their pipeline; '' for all. */
      readonly pipeline: string;
      /** A tag, or the key of tags; '' for all. */
      readonly tag: string;
      /** The time of their latest record: `today`, `24h` or `7d`; '' for any. */
      readonly age: string;
      /** A part of their id, or of the name of their pipeline; '' for all. */
      readonly text: string;
      /** The column to sort by; '' for the start. */
      readonly sort: string;
    }
  | { readonly page: 'item'; readonly item: string }
  | {
      readonly page: 'search';
      /** The text to search for; '' to enter one. */
      readonly text: string;
      /** The run to search; '' for all. */
      readonly run: string;
    }
  | {
      readonly page: 'compare';
      /** The first run. */
      readonly run: string;
      /** The second run; '' to choose one. */
      readonly other: string;
    }
  /** An address that leads nowhere. */
  | { readonly page: 'unknown'; readonly path: string }
  | {
      readonly page: 'start';
      /** The name of the pipeline to start; '' for the first. */
      readonly pipeline: string;
    }
  | {
      readonly page: 'run';
      readonly run: string;
      readonly tab: RunTab;
      /** The selected phase. */
      readonly phase: string | null;
      /** The number of the record as of which the run is shown; `null` for the latest. */
      readonly at: number | null;
      /** The number of the record that started the selected attempt. */
      readonly attempt: number | null;
      /** True to show phases as a list instead of a graph. */
      readonly list: boolean;
      /** A part of the names of the phases to show; '' for all. */
      readonly find: string;
      /** The status of the phases, or the type of the records, to show; '' for all. */
      readonly only: string;
    };

/** A route within a run. */
export type RunRoute = Extract<Route, { readonly page: 'run' }>;

/** Parses a URL hash: `#/run/<id>?tab=timeline&phase=<name>&at=<seq>`. An empty one is the home page. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/u, '').split('?', 2);
  const [page = '', name = '', second = ''] = path.split('/').slice(1).map(decoded);
  const options = new URLSearchParams(query);
  if (page === 'runs') {
    const wanted = (option: string) => options.get(option) ?? '';
    return {
      page,
      standing: wanted('standing'),
      pipeline: wanted('pipeline'),
      tag: wanted('tag'),
      age: wanted('age'),
      text: wanted('find'),
      sort: wanted('sort'),
    };
  }
  if (page === 'start') return { page, pipeline: options.get('pipeline') ?? '' };
  if (page === 'search') return { page, text: options.get('text') ?? '', run: options.get('run') ?? '' };
  if (page === 'item' && name !== '') return { page, item: name };
  if (page === 'compare' && name !== '') return { page, run: name, other: second };
  if (path === '' || path === '/') return { page: 'home' };
  if (page !== 'run' || name === '') return { page: 'unknown', path };
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

/** Formats a route as a URL hash. */
export function hashOf(route: Route): string {
  switch (route.page) {
    case 'home':
      return '#/';
    case 'runs': {
      const options = new URLSearchParams();
      if (route.standing !== '') options.set('standing', route.standing);
      if (route.pipeline !== '') options.set('pipeline', route.pipeline);
      if (route.tag !== '') options.set('tag', route.tag);
      if (route.age !== '') options.set('age', route.age);
      if (route.text !== '') options.set('find', route.text);
      if (route.sort !== '') options.set('sort', route.sort);
      const query = options.toString();
      return `#/runs${query === '' ? '' : `?${query}`}`;
    }
    case 'start':
      return `#/start${route.pipeline === '' ? '' : `?${new URLSearchParams({ pipeline: route.pipeline }).toString()}`}`;
    case 'search': {
      const { text, run } = route;
      const options = new URLSearchParams({ ...(text !== '' && { text }), ...(run !== '' && { run }) }).toString();
      return `#/search${options === '' ? '' : `?${options}`}`;
    }
    case 'unknown':
      return `#${route.path}`;
    case 'item':
      return `#/item/${encodeURIComponent(route.item)}`;
    case 'compare':
      return ['#/compare', route.run, ...(route.other === '' ? [] : [route.other])].map(asPart).join('/');
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

/** The list of all runs. */
export const ALL_RUNS = {
  page: 'runs',
  standing: '',
  pipeline: '',
  tag: '',
  age: '',
  text: '',
  sort: '',
} as const satisfies Route;

/** Formats a route within a run as a URL hash. */
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

/** The first part is the page, and has no characters to encode but its own. */
function asPart(text: string, index: number): string {
  return index === 0 ? text : encodeURIComponent(text);
}

function recordIn(options: URLSearchParams, name: string): number | null {
  const seq = Number(options.get(name) ?? Number.NaN);
  return Number.isInteger(seq) && seq > 0 ? seq : null;
}

/** A text that is not valid percent-encoding is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
