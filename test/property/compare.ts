/**
 * A comparison of two accounts of one run.
 *
 * @module
 */

/**
 * Returns the first difference between the accounts; null if they agree.
 *
 * The order of all events must be the same, with one exception. The starts of tasks, and charges of stopped tasks,
 * must be in order only within their phase. A question to a person at the very end of the run is optional.
 */
export function difference(actually: readonly string[], expectedly: readonly string[]): string | null {
  const actual = withoutLastQuestions(actually);
  const expected = withoutLastQuestions(expectedly);
  const whole = firstDifference(actual.filter(isOrdered), expected.filter(isOrdered));
  if (whole !== null) return whole;
  const kinds = new Set([...actual, ...expected].filter((one) => !isOrdered(one)).map(kindIn));
  for (const kind of kinds) {
    const within = firstDifference(
      actual.filter((one) => kindIn(one) === kind),
      expected.filter((one) => kindIn(one) === kind),
    );
    if (within !== null) return within;
  }
  return null;
}

/**
 * Returns the first difference between findings that reviewers were shown; null if there is none. Reviewers have no
 * order.
 */
export function findingsDifference(actual: readonly string[], expected: readonly string[]): string | null {
  for (const who of new Set([...actual, ...expected].map(reviewerIn))) {
    const within = firstDifference(
      actual.filter((one) => reviewerIn(one) === who),
      expected.filter((one) => reviewerIn(one) === who),
    );
    if (within !== null) return `shown of findings:\n${within}`;
  }
  return null;
}

// --- internal ---

function withoutLastQuestions(lines: readonly string[]): readonly string[] {
  const [end = '', type] = lines.at(-1)?.split(' ') ?? [];
  return type === 'run.ended' ? lines.filter((one) => !one.startsWith(`${end} task.asked `)) : lines;
}

function reviewerIn(one: string): string {
  return one.split(' ')[0] ?? '';
}

/** Sorts simultaneous marks: a commit may mark several phases, in any order. */
function marksSorted(lines: readonly string[]): readonly string[] {
  const sorted = [...lines];
  for (let from = 0; from < sorted.length; from++) {
    let to = from;
    while (isMark(sorted[to]) && markOf(sorted[to]) === markOf(sorted[from])) to++;
    if (to > from + 1) sorted.splice(from, to - from, ...sorted.slice(from, to).toSorted());
  }
  return sorted;
}

function isMark(one = ''): boolean {
  return one.includes(' phase.stale ');
}

/** Returns time, type and phase of a line. */
function markOf(one = ''): string {
  return one.split(' ').slice(0, 3).join(' ');
}

function isOrdered(one: string): boolean {
  return !one.includes(' task.started ') && !one.includes(' task.asked ') && !one.includes(' late=true');
}

/** Returns type and phase of a line. */
function kindIn(one: string): string {
  return one.split(' ').slice(1, 3).join(' ');
}

function firstDifference(actually: readonly string[], expectedly: readonly string[]): string | null {
  const actual = marksSorted(actually);
  const expected = marksSorted(expectedly);
  const length = Math.max(actual.length, expected.length);
  for (let index = 0; index < length; index++) {
    if (actual[index] === expected[index]) continue;
    const before = expected.slice(Math.max(0, index - 40), index).map((one) => `    ${one}`);
    return [
      ...before,
      ...expected.slice(index, index + 6).map((one) => `  - ${one}`),
      ...actual.slice(index, index + 6).map((one) => `  + ${one}`),
      '  (- as the page says, + as the runtime did)',
    ].join('\n');
  }
  return null;
}
