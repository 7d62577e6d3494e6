/**
 * Proof that a pattern takes time in proportion to the text. A pattern without a proof is refused.
 *
 * A backtracking engine may try every path of the automaton. A text is a danger if it leads from a state to itself, from it to
 * another state, and from that state to itself. Without such a text the number of paths stays below a constant (Weber and Seidl, 1991).
 *
 * @module
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { errorInfo } from '../../../model/errors/phasegate-error.ts';
import { automatonOf, type State } from './automaton.ts';
import { common, overlap, type CharSet } from './char-sets.ts';

/** The way that a pattern is applied. */
export interface Use {
  /** Applied with the flags `u`, `g` and `m`, as `failures` is. Otherwise without flags, as JSON Schema does it. */
  readonly everywhere: boolean;
}

/** Returns the reason against a pattern, with what to write in its place; `undefined` if it is proven to be fast. */
export function patternDoubt(source: string, { everywhere }: Use): string | undefined {
  if (source.length > LONGEST) return `it has more than ${LONGEST} characters: shorten it`;
  let ast: AST.Pattern;
  try {
    ast = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, { unicode: everywhere });
  } catch (error) {
    return `it is not a regular expression: ${errorInfo(error).message.split(': ').at(-1)}`;
  }
  const made = automatonOf(withoutEnds(ast, everywhere), { multiline: everywhere });
  if ('refused' in made)
    return `"${made.refused}" can take very long: write it without lookarounds, backreferences and modifiers`;
  const { states } = made;
  const within = reachable(states);
  const twice = states.find(({ next }, from) => [...next].some(([to, ways]) => ways > 1 && within[to]?.has(from)));
  if (twice) return `the repetitions around "${twice.raw}" repeat each other: ${ADVICE}`;
  if (spread(states) > MOST_SPREAD) return `too many of its parts can match the same text: ${ADVICE}`;
  const work = { left: MOST_STEPS };
  for (const [p, mine] of within.entries()) {
    if (!mine.has(p)) continue;
    for (const q of mine) {
      if (q === p || !within[q]?.has(q) || !grows(states, within, p, q, work)) continue;
      const [one, other] = [states[p]?.raw, states[q]?.raw];
      return work.left <= 0
        ? 'it is too large to be judged: shorten it'
        : `${shown(one)} and ${shown(other)} can match the same text: ${ADVICE}`;
    }
  }
  return undefined;
}

/** Returns a pattern for errors, cut if it is long. */
export function shownPattern(source: string): string {
  return source.length > 100 ? `${source.slice(0, 100)}…` : source;
}

// --- internal ---

const ADVICE =
  'begin it with ^, and let what follows a repetition begin with a character that the repetition does not match';
/** The most characters of a pattern. */
const LONGEST = 1000;
/** The most choices outside of repetitions between parts that match the same text: each can double the time. */
const MOST_SPREAD = 8;
/** The most steps of a proof: some tenths of a second. */
const MOST_STEPS = 300_000;

const shown = (raw = ''): string => (/^(?:any|the) /u.test(raw) ? raw : `"${raw}"`);

/** The pattern without a repetition at its very end, which needs no second try: whatever it reads, the match is complete. */
function withoutEnds(ast: AST.Pattern, multiline: boolean): AST.Pattern {
  return {
    ...ast,
    alternatives: ast.alternatives.map((one) => ({ ...one, elements: withoutEnd(one.elements, multiline) })),
  };
}

function withoutEnd(elements: readonly AST.Element[], multiline: boolean): AST.Element[] {
  const last = elements.at(-1);
  const before = elements.slice(0, -1);
  // With the flag m, the end of a line follows whatever `.` has read.
  const loop = before.at(-1);
  if (multiline && last?.type === 'Assertion' && last.kind === 'end' && loop && readsLine(loop))
    return withoutEnd(before, multiline);
  if (last?.type === 'Quantifier' && isCharacter(last.element)) return [...before, ...copies(last)];
  if (last?.type !== 'CapturingGroup' && last?.type !== 'Group') return [...elements];
  const [only, ...others] = last.alternatives;
  if (!only || others.length > 0) return [...elements];
  const alternatives = [{ ...only, elements: withoutEnd(only.elements, multiline) }];
  return [...before, last.type === 'Group' ? { ...last, alternatives } : { ...last, alternatives }];
}

/** The characters that a repetition has to read. */
function copies(quantifier: AST.Quantifier): AST.Element[] {
  return quantifier.min === 0 ? [] : [{ ...quantifier, max: quantifier.min }];
}

function isCharacter({ type }: AST.Element): boolean {
  return type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass';
}

/** True for a greedy repetition of `.` alone, also in a group. */
function readsLine(element: AST.Element): boolean {
  if (element.type === 'Quantifier')
    return (
      element.greedy &&
      element.max === Infinity &&
      element.element.type === 'CharacterSet' &&
      element.element.kind === 'any'
    );
  if (element.type !== 'CapturingGroup') return false;
  const [only, ...others] = element.alternatives;
  const last = only?.elements.at(-1);
  return others.length === 0 && last !== undefined && readsLine(last);
}

/** For each state, the states that are reached from it by at least one character. */
function reachable(states: readonly State[]): readonly ReadonlySet<number>[] {
  return states.map((_, from) => {
    const found = new Set<number>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const next of states[at]?.next.keys() ?? [])
        if (!found.has(next)) {
          found.add(next);
          open.push(next);
        }
    return found;
  });
}

/** Counts how often a text can be continued in more than one way. */
function spread(states: readonly State[]): number {
  const sizes = states.map(({ next }, from) => {
    const read = [...next].filter(([to]) => to !== from).map(([to, ways]) => [states[to]?.reads ?? [], ways] as const);
    const ways = (set: CharSet) => read.reduce((all, [other, count]) => all + (overlap(set, other) ? count : 0), 0);
    return Math.max(0, ...read.map(([set]) => ways(set) - 1));
  });
  return sizes.reduce((all, one) => all + one, 0);
}

/** True if some text leads from p to p, from p to q and from q to q: then the number of paths grows with the text. */
function grows(
  states: readonly State[],
  within: readonly ReadonlySet<number>[],
  p: number,
  q: number,
  work: { left: number },
): boolean {
  const step = (from: number, goal: number) =>
    [...(states[from]?.next.keys() ?? [])].filter((to) => to === goal || within[to]?.has(goal));
  const seen = new Set<number>();
  const size = states.length;
  const open: (readonly [number, number, number])[] = [[p, p, q]];
  for (let at = open.pop(); at; at = open.pop()) {
    for (const one of step(at[0], p))
      for (const two of step(at[1], q)) {
        const both = common(states[one]?.reads ?? [], states[two]?.reads ?? []);
        if (both.length === 0) continue;
        for (const three of step(at[2], q)) {
          if ((work.left -= 1) <= 0) return true;
          const key = (one * size + two) * size + three;
          if (seen.has(key) || !overlap(both, states[three]?.reads ?? [])) continue;
          if (one === p && two === q && three === q) return true;
          seen.add(key);
          open.push([one, two, three]);
        }
      }
  }
  return false;
}
