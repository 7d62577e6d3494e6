/**
 * Proves that a pattern takes time in proportion to the text.
 *
 * @module
 */
import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { checkSync } from 'recheck';

/** Returns undefined if a pattern is proven to be linear, and otherwise the reason against it. */
export function doubtOf(source: string, flags: string): string | undefined {
  const ast = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const looks = lookaroundsIn(ast);
  if (looks.some((look) => longestOf(look.alternatives) === Infinity)) return 'it looks around without an end';
  // A lookaround of bounded length takes constant time, and only removes matches. So the pattern without it, made to
  // fail at its end so that every path is tried, takes at least as long.
  const [text, mustFail] = looks.length > 0 ? [without(source, looks), true] : [source, false];
  const doubt = judged(mustFail ? failing(text) : text, flags);
  if (doubt !== undefined || !flags.includes('g')) return doubt;
  // With the flag g, a pattern must not read far past its match either. Nothing is read twice if all paths from every
  // position are linear together, or if each match ends with the last character that was read.
  if (takesAllItReads(ast) || judged(failing(text), flags) === undefined) return undefined;
  return 'matches may read the same text again and again';
}

// --- internal ---

/** A character that no text of the proof needs. */
const NEVER = String.raw`\uE000`;

function failing(source: string): string {
  return `(?:${source})${NEVER}`;
}

function judged(source: string, flags: string): string | undefined {
  // Only the automaton proves linearity. The other checkers of `recheck` guess if they have no proof.
  const found = checkSync(source, flags.replace('g', ''), { checker: 'automaton', timeout: 120_000 });
  switch (found.status) {
    case 'safe':
      return undefined;
    case 'vulnerable':
      return `it takes ${found.complexity.summary} time, such as on ${found.attack.pattern}`;
    case 'unknown':
      return `it cannot be judged: ${JSON.stringify(found.error)}`;
  }
}

function lookaroundsIn(ast: AST.Pattern): readonly AST.LookaroundAssertion[] {
  const found: AST.LookaroundAssertion[] = [];
  visitRegExpAST(ast, {
    onAssertionEnter(node) {
      if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return;
      if (!found.some((outer) => outer.start <= node.start && node.end <= outer.end)) found.push(node);
    },
  });
  return found;
}

function without(source: string, looks: readonly AST.LookaroundAssertion[]): string {
  return looks.reduceRight((left, { start, end }) => `${left.slice(0, start)}(?:)${left.slice(end)}`, source);
}

/** Returns the length of the longest match, in characters. */
function longestOf(alternatives: readonly AST.Alternative[]): number {
  return Math.max(...alternatives.map(({ elements }) => elements.reduce((sum, one) => sum + lengthOf(one), 0)));
}

function lengthOf(element: AST.Element): number {
  switch (element.type) {
    case 'Assertion':
      return element.kind === 'lookahead' || element.kind === 'lookbehind' ? longestOf(element.alternatives) : 1;
    case 'Quantifier':
      return element.max === 0 ? 0 : element.max * lengthOf(element.element);
    case 'Group':
    case 'CapturingGroup':
      return longestOf(element.alternatives);
    case 'Backreference':
      return Infinity;
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return 1;
  }
}

/** True if each alternative has a bounded length, except for a greedy repetition of one character class at its end. */
function takesAllItReads({ alternatives }: AST.Pattern): boolean {
  return alternatives.every(({ elements }) => {
    const last = elements.at(-1);
    const bounded = last && isLoop(last) ? elements.slice(0, -1) : elements;
    return bounded.every((element) => lengthOf(element) < Infinity);
  });
}

function isLoop(element: AST.Element): boolean {
  if (element.type === 'Quantifier') return element.greedy && element.min <= 1 && lengthOf(element.element) === 1;
  if (element.type !== 'CapturingGroup') return false;
  const [only, other] = element.alternatives;
  const [one, another] = only?.elements ?? [];
  return other === undefined && another === undefined && one !== undefined && isLoop(one);
}
