/**
 * YAML text with the positions of all its values.
 *
 * @module
 */
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  YAMLParseError,
  type Node,
} from 'yaml';

/** A problem in a file. */
export interface FileProblem {
  readonly message: string;
  /** The start of the problem, in characters from the start of the text. */
  readonly offset: number;
}

/** A parsed YAML file. */
export interface YamlDocument {
  readonly value: unknown;
  /** Errors of the syntax. */
  readonly problems: readonly FileProblem[];
  /** Returns the offset of a value, or of its nearest ancestor if there is no such value. */
  offsetOf(path: readonly PropertyKey[]): number;
  /** Returns the offset of the key of a value. */
  offsetOfKey(path: readonly PropertyKey[]): number;
  /** Returns `line:column`, both from 1, and the line itself with a mark under the place. */
  show(offset: number): { readonly position: string; readonly excerpt: string };
}

/** Parses YAML. Never throws. */
export function readYaml(source: string): YamlDocument {
  const lines = new LineCounter();
  const document = parsed(source, lines);
  const deep = tooDeep(document);
  if (!deep) keepWords(document);
  const problems = [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    message: code === 'MULTIPLE_DOCS' ? ONE_DOCUMENT : message,
    offset: pos[0],
  }));
  // The parser reports that its stack is full as an error of the text.
  const full = problems.find(({ message }) => message.includes('call stack'));
  const only = deep ?? (full && { ...full, message: TOO_DEEP });
  const converted = only ? { value: undefined, problems: [only] } : convert(document);
  return {
    value: converted.value,
    problems: only ? [only] : [...problems, ...converted.problems],
    offsetOf: (path) => find(document, path).value?.range?.[0] ?? 0,
    offsetOfKey(path) {
      const { key, value } = find(document, path);
      return key?.range?.[0] ?? value?.range?.[0] ?? 0;
    },
    show(offset) {
      const { line, col } = lines.linePos(Math.min(offset, Math.max(0, source.length - 1)));
      const content = (source.split(/\r?\n/u)[line - 1] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, col + LONGEST_EXCERPT);
      const label = `${line} | `;
      return {
        position: `${line}:${col}`,
        excerpt: `${label}${content}\n${' '.repeat(label.length + Math.max(0, col - 1))}^`,
      };
    },
  };
}

// --- internal ---

/** The most characters of a line that are shown after the place. */
const LONGEST_EXCERPT = 120;

/** The most levels of lists and maps within each other. */
const MOST_LEVELS = 100;
const TOO_DEEP = `lists and maps are nested more than ${MOST_LEVELS} levels deep: flatten them`;

const ONE_DOCUMENT = 'a pipeline file has one document: move this to another file';

/** Parses a text. Text that the parser cannot descend into becomes a document with one error. */
function parsed(source: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(source, { lineCounter, prettyErrors: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const document = new Document();
    document.errors.push(new YAMLParseError([0, 0], 'BAD_COLLECTION_TYPE', TOO_DEEP));
    return document;
  }
}

/** Returns the first place that is nested too deep. */
function tooDeep(document: Document): FileProblem | undefined {
  let deep: FileProblem | undefined;
  visit(document, {
    Collection(_, node, path) {
      if (path.filter(isCollection).length < MOST_LEVELS) return undefined;
      deep = { message: TOO_DEEP, offset: node.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return deep;
}

interface Converted {
  readonly value: unknown;
  readonly problems: readonly FileProblem[];
}

/** Converts a document to values. Reports a problem if an alias names no anchor, or if aliases expand to too many nodes. */
function convert(document: Document): Converted {
  try {
    const value: unknown = document.errors.length > 0 ? undefined : document.toJS();
    // Aliases can nest deeper than the text, also without an end.
    return isDeep(value) ? { value: undefined, problems: [{ message: TOO_DEEP, offset: 0 }] } : { value, problems: [] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, problems: [{ message, offset: unresolvedAlias(document) }] };
  }
}

/** True if lists and maps are nested deeper than allowed. Looks at each once a level, as aliases can multiply them. */
function isDeep(value: unknown): boolean {
  let level = new Set([value]);
  for (let depth = 0; depth <= MOST_LEVELS; depth += 1) {
    level = new Set(
      [...level].flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : [])),
    );
    if (level.size === 0) return false;
  }
  return true;
}

function unresolvedAlias(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** Keys of lists of words. */
const WORDS: ReadonlySet<string> = new Set([
  'command',
  'agent',
  'acp',
  'args',
  'program',
  'readOnly',
  'setup',
  'teardown',
]);

/** Keeps the source text of command words and environment variables: `1.0` stays `1.0`, and `yes` stays `yes`. */
function keepWords(document: Document): void {
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? key.value : undefined;
      const words = typeof name === 'string' && WORDS.has(name) && isSeq(value) ? value.items : [];
      const variables = name === 'env' && isMap(value) ? value.items.map((pair) => pair.value) : [];
      for (const word of [...words, ...variables]) {
        if (isScalar(word) && word.source !== undefined && word.value !== null) word.value = word.source;
      }
    },
  });
}

interface Found {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

/** Follows a path as far as it goes. */
function find(document: Document, path: readonly PropertyKey[]): Found {
  let found: Found = { key: undefined, value: document.contents ?? undefined };
  for (const step of path) {
    const next = child(document, found.value, step);
    if (next === undefined) return { key: undefined, value: found.value };
    found = next;
  }
  return found;
}

function child(document: Document, parent: Node | undefined, step: PropertyKey): Found | undefined {
  const node = isAlias(parent) ? parent.resolve(document) : parent;
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : '') === String(step));
    if (!isPair(pair)) return undefined;
    return { key: asNode(pair.key), value: asNode(pair.value) ?? asNode(pair.key) };
  }
  const item = isSeq(node) && typeof step === 'number' ? asNode(node.items[step]) : undefined;
  return item && { key: undefined, value: item };
}

function asNode(value: unknown): Node | undefined {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : undefined;
}
