/**
 * A pattern as an automaton with one state for each element that reads a character.
 *
 * @module
 */
import type { AST } from '@eslint-community/regexpp';
import { ANY, charsOf, LINE_ENDS, type CharSet } from './char-sets.ts';

/** A state: it was entered by reading a character. */
export interface State {
  readonly reads: CharSet;
  /** The element, for errors. */
  readonly raw: string;
  /** States that may read the next character, each with the number of ways there, 1 or 2 for more. */
  readonly next: Map<number, number>;
}

/** An automaton, or the part of the pattern that it cannot have. */
export type Automaton = { readonly states: readonly State[] } | { readonly refused: string };

/**
 * Builds the automaton of a search: its first states read what is before a match.
 *
 * @param options `multiline` if `^` matches after each line end.
 */
export function automatonOf(ast: AST.Pattern, { multiline }: { readonly multiline: boolean }): Automaton {
  const states: State[] = [];
  let refused: string | undefined;

  const refuse = (raw: string): Part => {
    refused ??= raw;
    return EMPTY;
  };
  const alternatives = (all: readonly AST.Alternative[]): Part =>
    all.map((one) => sequence(one.elements)).reduce(either);
  const sequence = (elements: readonly AST.Element[]): Part =>
    elements.reduce((left, element) => then(left, partOf(element)), EMPTY);

  function then(left: Part, right: Part): Part {
    connect(left.last, right.first);
    return {
      empty: Math.min(2, left.empty * right.empty),
      first: sum(left.first, times(right.first, left.empty)),
      last: sum(right.last, times(left.last, right.empty)),
    };
  }

  function connect(from: Ways, to: Ways): void {
    for (const [state, count] of from) {
      const next = states[state]?.next;
      for (const [other, more] of to) next?.set(other, Math.min(2, (next.get(other) ?? 0) + count * more));
    }
  }

  function partOf(element: AST.Element): Part {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass': {
        const here: Ways = new Map([[states.length, 1]]);
        states.push({ reads: charsOf(element), raw: element.raw, next: new Map() });
        return { empty: 0, first: here, last: here };
      }
      case 'Group':
        return element.modifiers ? refuse(element.raw) : alternatives(element.alternatives);
      case 'CapturingGroup':
        return alternatives(element.alternatives);
      case 'Assertion':
        return element.kind === 'lookahead' || element.kind === 'lookbehind' ? refuse(element.raw) : EMPTY;
      case 'Quantifier':
        return repeated(element);
      case 'Backreference':
      case 'ExpressionCharacterClass':
        return refuse(element.raw);
    }
  }

  function repeated({ element, min, max }: AST.Quantifier): Part {
    if (max === 0) return EMPTY;
    if (max === 1) return min === 1 ? partOf(element) : either(partOf(element), EMPTY);
    const isCharacter = ['Character', 'CharacterSet', 'CharacterClass'].includes(element.type);
    if (isCharacter && max <= MOST_COPIES) {
      const required = Array.from({ length: min }, () => partOf(element)).reduce(then, EMPTY);
      const rest = Array.from({ length: max - min }).reduce<Part>(
        (after) => either(then(partOf(element), after), EMPTY),
        EMPTY,
      );
      return then(required, rest);
    }
    // A longer repetition counts as one without an end, which has all its paths.
    const body = partOf(element);
    connect(body.last, body.first);
    return min === 0 ? either(body, EMPTY) : body;
  }

  const isAnchored = ast.alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  );
  const whole = alternatives(ast.alternatives);
  if (refused !== undefined) return { refused };
  if (isAnchored && !multiline) return { states };
  // Reads the text before a match; if matches begin lines, then up to a line end.
  const before = states.length;
  states.push({ reads: ANY, raw: 'any place to begin', next: new Map([[before, 1]]) });
  let enter = before;
  if (isAnchored) {
    enter = states.length;
    states.push({ reads: LINE_ENDS, raw: 'the begin of a line', next: new Map() });
    states[before]?.next.set(enter, 1);
  }
  connect(new Map([[enter, 1]]), whole.first);
  return { states };
}

// --- internal ---

/** States with the number of ways to reach them. */
type Ways = ReadonlyMap<number, number>;

/** A part of a pattern: the number of ways to read nothing, and the states that read its first and last character. */
interface Part {
  readonly empty: number;
  readonly first: Ways;
  readonly last: Ways;
}

const EMPTY: Part = { empty: 1, first: new Map(), last: new Map() };

/** The most copies of a character that are states of their own. */
const MOST_COPIES = 8;

function either(one: Part, other: Part): Part {
  return {
    empty: Math.min(2, one.empty + other.empty),
    first: sum(one.first, other.first),
    last: sum(one.last, other.last),
  };
}

function sum(one: Ways, other: Ways): Ways {
  const all = new Map(one);
  for (const [state, count] of other) all.set(state, Math.min(2, (all.get(state) ?? 0) + count));
  return all;
}

function times(ways: Ways, factor: number): Ways {
  return factor === 0 ? new Map() : new Map([...ways].map(([state, count]) => [state, Math.min(2, count * factor)]));
}
