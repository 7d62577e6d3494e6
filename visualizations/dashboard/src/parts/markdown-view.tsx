/**
 * Untrusted Markdown as elements of the page. This module is loaded when the first text needs it.
 *
 * The text is parsed to a tree, and each node becomes an element. HTML in it is shown as text, so nothing needs to be sanitised. No image is
 * loaded, and links lead only to web pages.
 *
 * @module
 */
import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { type ReactNode, useMemo } from 'react';
import { CodeBlock } from './code/code-view.tsx';
import { languageNamed } from './text-kind.ts';
import { readable } from './untrusted-text.ts';
import { SCROLLED } from './scrolled.ts';

/** The text as Markdown. A text that nests too deeply is shown as it is. */
export function MarkdownView({ text }: { readonly text: string }): ReactNode {
  const tree = useMemo(
    () => fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }),
    [text],
  );
  return <div className="markdown">{listOf(tree.children, 0)}</div>;
}

// --- internal ---

/** Deepest nesting that is rendered. */
const DEEPEST = 40;

function listOf(nodes: readonly RootContent[], depth: number): ReactNode {
  if (depth > DEEPEST) return '…';
  return nodes.map((node, at) => <Node key={at} node={node} depth={depth} />);
}

function Node({ node, depth }: { readonly node: RootContent; readonly depth: number }): ReactNode {
  const inside = 'children' in node ? listOf(node.children, depth + 1) : null;
  switch (node.type) {
    case 'text':
      return readable(node.value);
    case 'paragraph':
      return <p>{inside}</p>;
    case 'heading':
      return (
        <p className={`heading level-${node.depth}`}>
          <strong>{inside}</strong>
        </p>
      );
    case 'strong':
      return <strong>{inside}</strong>;
    case 'emphasis':
      return <em>{inside}</em>;
    case 'delete':
      return <s>{inside}</s>;
    case 'inlineCode':
      return <code>{readable(node.value)}</code>;
    case 'code':
      return <CodeBlock text={node.value} language={languageNamed(node.lang)} />;
    case 'blockquote':
      return <blockquote>{inside}</blockquote>;
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inside}</ol> : <ul>{inside}</ul>;
    case 'listItem':
      return <li>{inside}</li>;
    case 'link':
      return <SafeLink url={node.url}>{inside}</SafeLink>;
    case 'image':
      return <span className="quiet">[image: {readable(node.alt ?? node.url)}]</span>;
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'table':
      return (
        <div className="wide" {...SCROLLED}>
          <table>
            <tbody>{inside}</tbody>
          </table>
        </div>
      );
    case 'tableRow':
      return <tr>{inside}</tr>;
    case 'tableCell':
      return <td>{inside}</td>;
    case 'html':
    case 'yaml':
      return <code>{readable(node.value)}</code>;
    case 'linkReference':
      return inside;
    case 'imageReference':
      return <span className="quiet">[image: {readable(node.alt ?? node.identifier)}]</span>;
    case 'footnoteReference':
    case 'definition':
    case 'footnoteDefinition':
      return null;
  }
}

/** A link to a web page, with its address as a tooltip. Other links are text. */
function SafeLink({ url, children }: { readonly url: string; readonly children: ReactNode }): ReactNode {
  const isWeb = /^https?:\/\//iu.test(url) && URL.canParse(url);
  if (!isWeb) return <span title={readable(url)}>{children}</span>;
  return (
    <a href={url} title={readable(url)} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
