/**
 * The search for runs by their tags.
 *
 * @module
 */

/** Returns the key of a tag: the part before `=`, or all of it. */
export function tagKey(tag: string): string {
  const at = tag.indexOf('=');
  return at === -1 ? tag : tag.slice(0, at);
}

/** True if a run has a tag: exactly this one; or, without `=`, any tag of this key. */
export function hasTag({ tags = [] }: { readonly tags?: readonly string[] | undefined }, wanted: string): boolean {
  return wanted.includes('=') ? tags.includes(wanted) : tags.some((tag) => tagKey(tag) === wanted);
}
