/**
 * Tags of a run: short words by which people find it, such as `nightly` or `team=search`.
 *
 * @module
 */
import { PhasegateError } from '../errors/phasegate-error.ts';
import { MASK } from '../values/known-secrets.ts';
import { maskSecrets } from './secrets.ts';
import { tagKey } from './tag-search.ts';

/** Most tags of a run. */
export const MOST_TAGS = 16;

/** Most characters of a tag. */
export const LONGEST_TAG = 100;

/** True if a text is a tag: a key, or a key and a value with `=` between, in letters, digits and a few signs. */
export function isTag(text: unknown): text is string {
  return typeof text === 'string' && text.length <= LONGEST_TAG && TAG.test(text);
}

/**
 * Returns the tags of a new run in the order of their keys; `undefined` if there are none. Equal tags count once.
 *
 * @throws PhasegateError `TAG_INVALID` for a text that is no tag or has a secret, for two values of one key, and for too many.
 */
export function checkedTags(tags: unknown): readonly string[] | undefined {
  const read = readTags(tags);
  if ('tags' in read) return read.tags;
  throw new PhasegateError('TAG_INVALID', `Cannot start a run as its tags are invalid: ${read.problem}`, {
    hint: read.hint,
  });
}

/** Tags that are valid, or the reason why they are not. */
export type ReadTags =
  { readonly tags: readonly string[] | undefined } | { readonly problem: string; readonly hint: string };

/** Does the same as {@link checkedTags}, but returns the problem. */
export function readTags(tags: unknown): ReadTags {
  if (tags === undefined) return { tags };
  if (!Array.isArray(tags)) return invalid('`tags` is no list', FORM);
  // The bound comes first, so that no long list is read.
  if (tags.length > MOST_TAGS) return invalid(`it has ${tags.length} tags, and ${MOST_TAGS} are the most`, FORM);
  const byKey = new Map<string, string>();
  for (const tag of tags) {
    if (!isTag(tag)) return invalid(`this is no tag: ${shown(tag)}`, FORM);
    const key = tagKey(tag);
    // The message does not repeat the secret.
    if (maskSecrets(tag) !== tag) return invalid(`the tag "${maskSecrets(key)}" has a secret`, NO_SECRET);
    const other = byKey.get(key) ?? tag;
    if (other !== tag) return invalid(`two tags have the key "${key}": ${other} and ${tag}`, ONE_VALUE);
    byKey.set(key, tag);
  }
  return { tags: byKey.size === 0 ? undefined : [...byKey.values()].toSorted(byCode) };
}

/** Returns tags of a run with those of its pipeline file, except for keys that the run has itself. */
export function withDefaultTags(
  tags: readonly string[] | undefined,
  defaults: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!tags || !defaults) return tags ?? defaults;
  const keys = new Set(tags.map(tagKey));
  return [...defaults.filter((tag) => !keys.has(tagKey(tag))), ...tags];
}

/** Returns tags that a child run takes over: those that `redact` has not masked. */
export function inheritedTags(tags: readonly string[] | undefined): readonly string[] | undefined {
  return tags?.filter((tag) => isTag(tag) && !tag.includes(MASK));
}

/** Returns recorded tags for lists, bounded, as another program may have written the journal. */
export function shownTags(tags: readonly string[] | undefined): readonly string[] {
  return (tags ?? []).slice(0, MOST_TAGS).map((tag) => tag.slice(0, LONGEST_TAG));
}

// --- internal ---

/** Takes linear time: no part of it can match in two ways. */
const TAG = /^[A-Za-z0-9][A-Za-z0-9._/-]*(?:=[A-Za-z0-9._/:@+-]+)?$/u;

const FORM = `Use at most ${MOST_TAGS} tags such as nightly or team=search: letters, digits and . _ / - ; in a value also : @ + ; at most ${LONGEST_TAG} characters.`;
const NO_SECRET = 'Remove the secret: everybody who lists runs sees their tags.';
const ONE_VALUE = 'Give each key one value.';

function invalid(problem: string, hint: string): ReadTags {
  return { problem, hint };
}

function shown(tag: unknown): string {
  if (typeof tag !== 'string') return tag === null ? 'null' : `a value of type ${typeof tag}`;
  // A secret that is cut in two could not be recognized, so the cut comes last.
  const masked = maskSecrets(tag.slice(0, MOST_READ)).slice(0, MOST_SHOWN);
  return `${JSON.stringify(masked)}${tag.length > MOST_SHOWN ? ' (cut)' : ''}`;
}

/** Most characters of a refused text that are read, and that a message repeats. */
const MOST_READ = 2000;
const MOST_SHOWN = 80;

function byCode(one: string, other: string): number {
  return one < other ? -1 : 1;
}
