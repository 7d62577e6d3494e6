/**
 * Characters that a single element of a pattern may match, as ranges of code points.
 *
 * @module
 */
import type { AST } from '@eslint-community/regexpp';

/** Ranges in order, without overlap, each with its first and last code point. */
export type CharSet = readonly (readonly [first: number, last: number])[];

/** Every character. */
export const ANY: CharSet = [[0, 0x10_ff_ff]];

/** The characters that end a line: `.` matches none of them. */
export const LINE_ENDS: CharSet = [
  [10, 10],
  [13, 13],
  [0x20_28, 0x20_29],
];

/** Returns the characters that an element may match; more, if that is not known. */
export function charsOf(node: AST.Character | AST.CharacterSet | AST.CharacterClass): CharSet {
  switch (node.type) {
    case 'Character':
      return [[node.value, node.value]];
    case 'CharacterSet':
      // Letters and digits are no line ends. More is not known of a property.
      if (node.kind === 'property') return LETTERS_OR_DIGITS.test(node.raw) ? without(LINE_ENDS) : ANY;
      if (node.kind === 'any') return without(LINE_ENDS);
      return node.negate ? without(ESCAPES[node.kind]) : ESCAPES[node.kind];
    case 'CharacterClass': {
      const isKnown = !node.elements.some((one) => one.type === 'CharacterSet' && one.kind === 'property');
      const all = union(node.elements.map(charsOfMember));
      return node.negate ? (isKnown ? without(all) : ANY) : all;
    }
  }
}

/** True if a character is in both sets. */
export function overlap(one: CharSet, other: CharSet): boolean {
  return one.some(([first, last]) => other.some(([from, to]) => first <= to && from <= last));
}

/** The characters that are in both sets. */
export function common(one: CharSet, other: CharSet): CharSet {
  return one.flatMap(([first, last]) =>
    other.flatMap(([from, to]) =>
      first <= to && from <= last ? [[Math.max(first, from), Math.min(last, to)] as const] : [],
    ),
  );
}

// --- internal ---

const LETTERS_OR_DIGITS = /^\\p\{(?:L[ulotmC]?|N[dlo]?|Alphabetic)\}$/u;

const ESCAPES: Readonly<Record<'digit' | 'space' | 'word', CharSet>> = {
  digit: [[48, 57]],
  space: [
    [9, 13],
    [32, 32],
    [160, 160],
    [0x16_80, 0x16_80],
    [0x20_00, 0x20_0a],
    [0x20_28, 0x20_29],
    [0x20_2f, 0x20_2f],
    [0x20_5f, 0x20_5f],
    [0x30_00, 0x30_00],
    [0xfe_ff, 0xfe_ff],
  ],
  word: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
};

function charsOfMember(member: AST.CharacterClass['elements'][number]): CharSet {
  switch (member.type) {
    case 'CharacterClassRange':
      return [[member.min.value, member.max.value]];
    case 'Character':
    case 'CharacterSet':
      return charsOf(member);
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
    case 'ClassStringDisjunction':
      return ANY;
  }
}

function union(sets: readonly CharSet[]): CharSet {
  const all: (readonly [number, number])[] = [];
  for (const [first, last] of sets.flat().toSorted(([a], [b]) => a - b)) {
    const before = all.at(-1);
    if (before && first <= before[1] + 1) all[all.length - 1] = [before[0], Math.max(before[1], last)];
    else all.push([first, last]);
  }
  return all;
}

/** Every character but some. */
function without(set: CharSet): CharSet {
  let next = 0;
  const rest: (readonly [number, number])[] = [];
  for (const [first, last] of set) {
    if (first > next) rest.push([next, first - 1]);
    next = last + 1;
  }
  return next > 0x10_ff_ff ? rest : [...rest, [next, 0x10_ff_ff]];
}
