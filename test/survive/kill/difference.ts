/**
 * A comparison of two texts that should be equal.
 *
 * @module
 */

/**
 * Returns the first difference of two JSON texts, with both sides. It compares their values if both can be parsed,
 * and otherwise the texts.
 */
export function differenceOf(said: string, told: string): string {
  try {
    return differenceIn(JSON.parse(said), JSON.parse(told)) ?? 'in nothing but the order of keys';
  } catch {
    let from = 0;
    while (from < said.length && said.charAt(from) === told.charAt(from)) from += 1;
    return `at character ${from} of ${said.length}, ${excerpt(said.slice(from))} instead of ${excerpt(told.slice(from))}`;
  }
}

// --- internal ---

function differenceIn(said: unknown, told: unknown, path = ''): string | undefined {
  const [ours, theirs] = [entriesOf(said), entriesOf(told)];
  if (ours && theirs && Array.isArray(said) === Array.isArray(told)) {
    for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
      const found = differenceIn(ours.get(key), theirs.get(key), path === '' ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const [one, other] = [excerpt(said), excerpt(told)];
  return JSON.stringify(said) === JSON.stringify(told) ? undefined : `${path} ${one} instead of ${other}`;
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
