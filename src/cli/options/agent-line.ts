/**
 * Agents that a text names by the command line of their program.
 *
 * @module
 */
import { PhasegateError } from '../../model/errors/phasegate-error.ts';

/** An agent by its command line. */
export interface AgentLine {
  /** `acp` for a program that speaks the Agent Client Protocol, `command` for any other. */
  readonly kind: 'acp' | 'command';
  /** The program and its arguments; empty if the line is. */
  readonly words: readonly string[];
}

/**
 * Reads `acp:<line>` or `command:<line>`; any other text is `undefined`.
 *
 * White space separates words. Quotes, "…" or '…', keep it in a word, and nothing is expanded. A backslash is a character, as in
 * `C:\agents\a.exe`.
 *
 * @throws PhasegateError `DEFINITION_INVALID` if a quote is not closed, or a backslash would be an escape in a shell.
 */
export function readAgentLine(agent: string): AgentLine | undefined {
  for (const kind of KINDS)
    if (agent.startsWith(`${kind}:`)) return { kind, words: wordsOf(agent.slice(kind.length + 1)) };
  return undefined;
}

/** Returns the way in which a program gets its prompt: in place of `{prompt}` in an argument, or else on standard input. */
export function promptWay([, ...args]: readonly string[]): 'argument' | undefined {
  return args.some((word) => word.includes('{prompt}')) ? 'argument' : undefined;
}

// --- internal ---

const KINDS = ['acp', 'command'] as const;

/** Most characters of a refused line that a message repeats. */
const MOST_SHOWN = 80;

// Why: docs/decisions/command-line.md#how-is-the-line-of-an-agent-read
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: { readonly mark: string; readonly at: number } | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const isSpace = quote === undefined && /\s/u.test(character);
    const isMark = quote ? character === quote.mark : character === '"' || character === "'";
    if ((isSpace || isMark) && quote?.mark !== "'" && line.charAt(at - 1) === '\\') throw ambiguous(line, at - 1);
    if (isSpace) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (isMark) {
      quote = quote ? undefined : { mark: character, at };
      word ??= '';
    } else word = `${word ?? ''}${character}`;
  }
  if (quote) throw unclosed(line, quote.at);
  return word === undefined ? words : [...words, word];
}

function unclosed(line: string, at: number): PhasegateError {
  const problem = `Cannot read the words of an agent as a quote needs its end: ${excerpt(line, at)}`;
  return new PhasegateError('DEFINITION_INVALID', problem, {
    hint: 'Close the quote. One that belongs to a word is put in quotes of the other kind.',
  });
}

function ambiguous(line: string, at: number): PhasegateError {
  const problem = `Cannot read the words of an agent as a backslash escapes nothing: ${excerpt(line, at)}`;
  return new PhasegateError('DEFINITION_INVALID', problem, {
    hint: "Put the word in quotes instead: 'a b', 'say \"yes\"', 'C:\\My Agents\\'.",
  });
}

function excerpt(line: string, at: number): string {
  const rest = line.slice(at, at + MOST_SHOWN);
  return `${rest}${line.length > at + MOST_SHOWN ? '…' : ''}`;
}
