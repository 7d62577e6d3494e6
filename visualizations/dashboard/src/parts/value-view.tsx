/**
 * A value with its rendered view, its raw view, and buttons to copy and to download it.
 *
 * @module
 */
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { imageOf } from './code/image-of.ts';
import { ImageView } from './code/image-view.tsx';
import { JsonTree } from './json-tree.tsx';
import { LongText } from './long-text.tsx';
import { kindOf, languageOf, type TextKind } from './text-kind.ts';
import { TextLines } from './text-lines.tsx';
import { readable, textOf } from './untrusted-text.ts';
import './value.css';

interface ValueViewProps {
  readonly value: unknown;
  /** Its name, for example that of the task. */
  readonly name: string;
}

/** The value, rendered by its kind. A plain text has no other view. */
export function ValueView({ value, name }: ValueViewProps): ReactNode {
  const [isRaw, setIsRaw] = useState(false);
  const raw = useMemo(() => textOf(value), [value]);
  const image = useMemo(() => imageOf(value), [value]);
  const kind: TextKind = useMemo(() => {
    if (typeof value === 'string') return kindOf(value, name);
    return typeof value === 'object' && value !== null ? 'json' : 'plain';
  }, [value, name]);
  return (
    <div className="value-view">
      <div className="value-tools">
        {kind === 'plain' && !image ? null : (
          <label>
            <input type="checkbox" checked={isRaw} onChange={({ target }) => setIsRaw(target.checked)} /> Raw
            <span className="unseen"> {name}</span>
          </label>
        )}
        <CopyButton text={raw} name={name} />
        <DownloadButton text={raw} name={name} extension={EXTENSIONS[kind]} />
      </div>
      {image && !isRaw ? (
        <ImageView url={image} name={name} />
      ) : isRaw || kind === 'plain' ? (
        <LongText text={raw} name={name} />
      ) : (
        <Rendered kind={kind} value={value} name={name} />
      )}
    </div>
  );
}

// --- internal ---

const CodeView = lazy(() => import('./code/code-view.tsx').then(({ CodeView: view }) => ({ default: view })));

const MarkdownView = lazy(() => import('./markdown-view.tsx').then(({ MarkdownView: view }) => ({ default: view })));

/** Milliseconds. */
const KEPT_MS = 10_000;

const EXTENSIONS: Readonly<Record<TextKind, string>> = {
  markdown: 'md',
  diff: 'diff',
  json: 'json',
  code: 'txt',
  plain: 'txt',
};

interface RenderedProps extends ValueViewProps {
  readonly kind: Exclude<TextKind, 'plain'>;
}

function Rendered({ kind, value, name }: RenderedProps): ReactNode {
  switch (kind) {
    case 'json':
      return <JsonTree value={typeof value === 'string' ? parsed(value) : value} />;
    case 'markdown':
      return (
        <Suspense fallback={<p className="quiet">Loading…</p>}>
          <MarkdownView text={textOf(value)} />
        </Suspense>
      );
    case 'diff':
      return <TextLines text={readable(textOf(value))} name={name} className="diff-text" classOf={toneOf} />;
    case 'code':
      return (
        <Suspense fallback={<p className="quiet">Loading…</p>}>
          <CodeView text={textOf(value)} name={name} language={languageOf(textOf(value), name)} />
        </Suspense>
      );
  }
}

/** The kind of the text says that it is JSON. */
function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** A line of a diff: added, removed, or the place of a change. */
function toneOf(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('diff ')) return 'file';
  if (line.startsWith('@@')) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}

function CopyButton({ text, name }: { readonly text: string; readonly name: string }): ReactNode {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Cannot copy: select the text, and copy it by hand');
    }
  };
  return (
    <>
      <button type="button" className="link" onClick={() => void copy()}>
        Copy<span className="unseen"> {name}</span>
      </button>
      <output className="quiet">{said}</output>
    </>
  );
}

interface DownloadButtonProps extends Pick<ValueViewProps, 'name'> {
  readonly text: string;
  readonly extension: string;
}

function DownloadButton({ text, name, extension }: DownloadButtonProps): ReactNode {
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = fileName(name, extension);
    link.click();
    // The browser reads it after this turn.
    setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
  };
  return (
    <button type="button" className="link" onClick={download}>
      Download<span className="unseen"> {name}</span>
    </button>
  );
}

/** Makes a name of a file: letters, digits, dots and dashes, without a dot at its start. */
function fileName(name: string, extension: string): string {
  const safe = name
    .slice(0, 80)
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[.-]+/gu, '');
  const base = safe === '' ? 'output' : safe;
  return base.toLowerCase().endsWith(`.${extension}`) ? base : `${base}.${extension}`;
}
