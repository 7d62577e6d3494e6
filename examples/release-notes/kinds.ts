/**
 * The sections that notes can have, and what puts a commit into one.
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

/** The kind that a conventional type such as `feat` stands for; `undefined` for a word that is none. */
export function kindOfType(type: string): Kind | undefined {
  return TYPES.get(type.toLowerCase());
}

/** The kind that a leading verb stands for, in any of its forms ("Add", "adds", "Added", "Adding"). */
export function kindOfVerb(word: string): Kind | undefined {
  return baseForms(word.toLowerCase())
    .map((verb) => VERBS.get(verb))
    .find((kind) => kind !== undefined);
}

/** The kind of a file. Code that is none of the others is `change`. */
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

/** Only verbs that say what kind of change it is: "make", "set", "update" and "use" can be anything. */
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

/** The first pattern that fits wins: a test of the documentation is a test. */
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

/** From words per kind to a kind per word. */
function table(words: Partial<Record<Kind, string>>): ReadonlyMap<string, Kind> {
  const kinds = Object.keys(headings).filter((key): key is Kind => key in words);
  return new Map(kinds.flatMap((kind) => (words[kind] ?? '').split(/\s+/u).map((word) => [word, kind] as const)));
}

/** What an English verb may be a form of: "adding" of "add", "handles" of "handle", "dropped" of "drop". */
function baseForms(word: string): readonly string[] {
  const stems = ENDINGS.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length));
  const undoubled = stems.map((stem) => stem.replace(/(.)\1$/u, '$1'));
  return [word, ...stems, ...stems.map((stem) => `${stem}e`), ...undoubled, word.replace(/ie[sd]$/u, 'y')];
}

const ENDINGS = ['s', 'es', 'd', 'ed', 'ing'];
