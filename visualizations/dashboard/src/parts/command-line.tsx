/**
 * A command for a shell, to copy.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import './parts.css';

/** The command, with a button that copies it. */
export function CommandLine({ line }: { readonly line: string }): ReactNode {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      setSaid('Copied');
    } catch {
      setSaid('Cannot copy: select the command, and copy it by hand');
    }
  };
  return (
    <div className="command-line">
      <pre className="command">{line}</pre>
      <button type="button" onClick={() => void copy()}>
        Copy<span className="unseen"> the command</span>
      </button>{' '}
      <output className="quiet">{said}</output>
    </div>
  );
}
