/**
 * Names of objects that begin with an id, such as `<id>^{tree}`. They stand for the same object for ever, so git is asked once.
 *
 * @module
 */

/** Names that git has resolved. */
export interface LastingNames {
  /** Returns the answer of git, whose id is `undefined` if there is no such object. Returns `undefined` if git was not asked. */
  get(name: string): { readonly id: string | undefined } | undefined;
  /** Remembers an answer if it can never change. */
  add(name: string, id: string | undefined): void;
}

/** Creates an empty set of names. */
export function createLastingNames(): LastingNames {
  const answers = new Map<string, { readonly id: string | undefined }>();
  return {
    get: (name) => answers.get(name),
    add(name, id) {
      const [, object = '', path] = LASTING.exec(name) ?? [];
      // A commit that is missing may arrive. A path that a commit lacks never does.
      const isLasting = id === undefined ? path !== undefined && answers.has(`${object}^{commit}`) : object !== '';
      if (!isLasting) return;
      if (answers.size >= MOST_NAMES) answers.clear();
      answers.set(name, { id });
    },
  };
}

// --- internal ---

const MOST_NAMES = 1000;
/** An id, then a type, the first parent or a path. */
const LASTING = /^([0-9a-f]{40}|[0-9a-f]{64})(?:\^(?:\{(?:commit|tree)\})?|(:.{1,4096}))$/u;
