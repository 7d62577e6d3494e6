/**
 * A button that copies the command which does the same as an action of the page.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { useSession } from '../data/session.ts';
import { inOneLine, readable } from './untrusted-text.ts';
import { shellWord } from './shell-word.ts';
import './parts.css';

interface CopyCommandProps {
  /** The words of the command after `phasegate`. The store is added. */
  readonly words: readonly string[];
  /** The action, for screen readers. */
  readonly name: string;
}

/**
 * The button. The command is its tooltip, and is shown if it cannot be copied. There is none if a word has characters that a terminal
 * obeys.
 */
export function CopyCommand({ words, name }: CopyCommandProps): ReactNode {
  const { store } = useSession();
  const [said, setSaid] = useState('');
  const line = commandLine(words, store);
  if (readable(line) !== line) return null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      setSaid('Copied');
    } catch {
      setSaid(line);
    }
  };
  return (
    <span className="copy-command">
      <button type="button" className="link" title={line} onClick={() => void copy()}>
        Copy as command<span className="unseen">: {name}</span>
      </button>{' '}
      <output className="quiet">{said}</output>
    </span>
  );
}

/** Joins the words of a command, quoted for a shell. @param store The name of the store. */
export function commandLine(words: readonly string[], store: string): string {
  return ['phasegate', ...words, '--store', inOneLine(store)].map(shellWord).join(' ');
}
