/**
 * A report in Markdown, with tables as GitHub writes them.
 *
 * @module
 */
import type { ReportDocument, Section, Table } from './document.ts';

/** The whole text. Whatever runs say stands in it as text: no link, no picture, no HTML. */
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

/** Marks that would begin something, and those that GitHub makes links of. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]|~$#]/gu, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?<=[a-z]):(?=\/\/)|(?<=www)\.|@/giu, String.raw`\$&`);
}
