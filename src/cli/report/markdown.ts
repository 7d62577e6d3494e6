/**
 * A report in GitHub-flavoured Markdown.
 *
 * @module
 */
import type { ReportDocument, Section, Table } from './document.ts';

/** Renders the report. Texts of runs are escaped: they make no links, no images and no HTML. */
export function asMarkdown({ title, sections }: ReportDocument): string {
  return `${[`# ${escaped(title)}`, ...sections.map(sectionText)].join('\n\n')}\n`;
}

// --- internal ---

function sectionText({ heading, note, table }: Section): string {
  const parts = [`## ${escaped(heading)}`, ...(note === undefined ? [] : [escaped(note)]), ...tableText(table)];
  return parts.join('\n\n');
}

function tableText({ columns, rows, left, none }: Table): readonly string[] {
  if (rows.length === 0) return [escaped(none)];
  const lines = [
    line(columns.map(({ name }) => name)),
    `| ${columns.map(({ isNumber }) => (isNumber ? '--:' : '---')).join(' | ')} |`,
    ...rows.map(line),
  ];
  return [lines.join('\n'), ...(left > 0 ? [`… and ${left} more.`] : [])];
}

function line(cells: readonly string[]): string {
  return `| ${cells.map(escaped).join(' | ')} |`;
}

/** Escapes Markdown characters, and characters from which GitHub makes links. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]|~$#]/gu, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<=[a-z]):(?=\/\/)|(?<=www)\.|@/giu, String.raw`\$&`);
}
