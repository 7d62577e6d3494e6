/**
 * The sections of the notes, and the rules that sort commits into them.
 *
 * @module
 */

/** Kinds of change in the order of the notes, with their headings. */
export const headings = {
  breaking: 'Breaking changes',
  feature: 'Features',
  fix: 'Fixes',
  performance: 'Performance',
  change: 'Changes',
  documentation: 'Documentation',
  test: 'Tests',
  tooling: 'Build and tooling',
  revert: 'Reverts',
  other: 'Other',
} as const;

/** A kind of change. */
export type Kind = keyof typeof headings;

/** Returns the kind of a conventional type such as `feat`; `undefined` for another word. */
export function kindOfType(type: string): Kind | undefined {
  return TYPES.get(type.toLowerCase());
}

/** Returns the kind of a leading verb in any form ("Add", "adds", "Added", "Adding"); `undefined` for another word. */
export function kindOfVerb(word: string): Kind | undefined {
  return baseForms(word.toLowerCase())
    .map((verb) => VERBS.get(verb))
    .find((kind) => kind !== undefined);
}

/** Returns the kind of a file; `change` for code. */
export function kindOfPath(path: string): Kind {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1] ?? 'change';
}

// --- internal ---

const TYPES = table({
  feature: 'feat feature',
  fix: 'fix bugfix hotfix security',
  performance: 'perf',
  change: 'refactor change deprecate remove',
  documentation: 'docs doc',
  test: 'test tests',
  tooling: 'build chore ci deps release style',
  revert: 'revert',
});

/** Verbs that express a kind of change. "make", "set", "update" and "use" are missing, as they can mean any kind. */
const VERBS = table({
  feature: 'accept add allow create enable expose implement introduce let offer permit provide show support',
  fix: 'avoid correct fix guard handle patch prevent repair resolve restore tolerate',
  performance: 'accelerate optimise optimize speed',
  change: `change clean deduplicate delete deprecate drop extract hide improve inline merge move narrow refactor remove rename
    reorganise reorganize replace restructure rewrite simplify split unify`,
  documentation: 'clarify comment describe document explain',
  test: 'assert cover test',
  tooling: 'bump configure downgrade format lint pin publish release upgrade',
  revert: 'revert',
});

/** Patterns of paths. The first match wins: a test of the documentation is a test. */
const PATHS: readonly (readonly [pattern: RegExp, kind: Kind])[] = [
  [/(?:^|\/)(?:tests?|specs?|__tests__|testdata|fixtures)\/|[._-](?:test|spec|test-d)\.\w+$/iu, 'test'],
  [
    /(?:^|\/)(?:docs?|man)\/|\.(?:md|mdx|rst|adoc)$|(?:^|\/)(?:licen[cs]e|copying|authors|notice)[^/]*$/iu,
    'documentation',
  ],
  [/(?:^|\/)\.[^/]/u, 'tooling'],
  [/^(?:scripts|tools|ci)\//iu, 'tooling'],
  [/(?:^|\/)(?:makefile|dockerfile|jenkinsfile|package\.json|go\.(?:mod|sum)|tsconfig[^/]*\.json)$/iu, 'tooling'],
  [/[.-](?:lock|config)\.(?:json|ya?ml|[cm]?[jt]s)$|\.(?:lock|toml|cfg|ini)$/iu, 'tooling'],
];

/** Converts words by kind to kinds by word. */
function table(words: Partial<Record<Kind, string>>): ReadonlyMap<string, Kind> {
  const kinds = Object.keys(headings).filter((key): key is Kind => key in words);
  return new Map(kinds.flatMap((kind) => (words[kind] ?? '').split(/\s+/u).map((word) => [word, kind] as const)));
}

/** Returns possible base forms of an English verb: "add" for "adding", "handle" for "handles", "drop" for "dropped". */
function baseForms(word: string): readonly string[] {
  const stems = ENDINGS.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length));
  const undoubled = stems.map((stem) => stem.replace(/(.)\1$/u, '$1'));
  return [word, ...stems, ...stems.map((stem) => `${stem}e`), ...undoubled, word.replace(/ie[sd]$/u, 'y')];
}

const ENDINGS = ['s', 'es', 'd', 'ed', 'ing'];
