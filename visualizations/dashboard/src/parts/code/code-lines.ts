/**
 * The tree of a highlighter as lines of tokens.
 *
 * @module
 */
import type { CodeLines, Token, TokenKind } from './code-token.ts';

/** A node of the tree, as of lowlight. */
export type CodeNode =
  | { readonly type: 'text'; readonly value: string }
  | {
      readonly type: 'element';
      readonly properties: { readonly className?: unknown };
      readonly children: readonly unknown[];
    }
  | { readonly type: 'comment' | 'doctype' };

/** Splits the text of a tree into lines. The innermost known class of a text is its kind. */
export function linesOf(nodes: readonly CodeNode[]): CodeLines {
  const lines: Token[][] = [[]];
  const add = (kind: TokenKind | null, text: string) => {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    }
  };
  const walk = (children: readonly CodeNode[], kind: TokenKind | null) => {
    for (const node of children) {
      if (node.type === 'text') add(kind, node.value);
      else if (node.type === 'element') walk(node.children.filter(isNode), kindOf(node.properties.className) ?? kind);
    }
  };
  walk(nodes, null);
  return lines;
}

// --- internal ---

/** The kinds by the classes of highlight.js. Others have no colour of their own. */
const KINDS: Readonly<Record<string, TokenKind>> = {
  'hljs-keyword': 'keyword',
  'hljs-meta': 'keyword',
  'hljs-selector-tag': 'keyword',
  'hljs-name': 'keyword',
  'hljs-section': 'keyword',
  'hljs-string': 'string',
  'hljs-regexp': 'string',
  'hljs-addition': 'string',
  'hljs-number': 'number',
  'hljs-literal': 'number',
  'hljs-symbol': 'number',
  'hljs-deletion': 'number',
  'hljs-comment': 'comment',
  'hljs-quote': 'comment',
  'hljs-title': 'name',
  'hljs-attr': 'name',
  'hljs-attribute': 'name',
  'hljs-property': 'name',
  'hljs-type': 'type',
  'hljs-built_in': 'type',
  'hljs-variable': 'type',
  'hljs-template-variable': 'type',
  'hljs-selector-class': 'type',
  'hljs-selector-id': 'type',
};

function kindOf(classes: unknown): TokenKind | undefined {
  const first: unknown = Array.isArray(classes) ? classes[0] : undefined;
  return typeof first === 'string' && Object.hasOwn(KINDS, first) ? KINDS[first] : undefined;
}

function isNode(value: unknown): value is CodeNode {
  return typeof value === 'object' && value !== null && 'type' in value;
}
