/**
 * Code with colours. This module is loaded when the first code is shown, and its worker then.
 *
 * @module
 */
import { Fragment, type ReactNode, useMemo } from 'react';
import { TextLines } from '../text-lines.tsx';
import { readable } from '../untrusted-text.ts';
import type { Token } from './code-token.ts';
import { useHighlight } from './highlight.ts';
import './code.css';

interface CodeProps {
  readonly text: string;
  /** A language or a file extension, such as `ts`; '' for none. */
  readonly language: string;
}

/** Code with numbered lines: the first ones, and all on request. */
export function CodeView({ text, language, name }: CodeProps & { readonly name: string }): ReactNode {
  const safe = useMemo(() => readable(text), [text]);
  const lines = useHighlight(safe, language);
  return (
    <TextLines text={safe} name={name} className="code-text" classOf={() => 'line'}>
      {(line, at) => <Tokens of={lines?.[at]} text={line} />}
    </TextLines>
  );
}

/** A block of code in another text. */
export function CodeBlock({ text, language }: CodeProps): ReactNode {
  const safe = useMemo(() => readable(text), [text]);
  const lines = useHighlight(safe, language);
  return (
    <pre>
      <code>
        {lines
          ? lines.map((tokens, at) => (
              <Fragment key={at}>
                {at === 0 ? '' : '\n'}
                <Tokens of={tokens} text="" />
              </Fragment>
            ))
          : safe}
      </code>
    </pre>
  );
}

// --- internal ---

/** @param of `undefined` while they are unknown: then the text. */
function Tokens({ of, text }: { readonly of: readonly Token[] | undefined; readonly text: string }): ReactNode {
  if (!of) return text;
  return of.map((token, at) => (
    <span key={at} className={token.kind === null ? undefined : `token-${token.kind}`}>
      {token.text}
    </span>
  ));
}
