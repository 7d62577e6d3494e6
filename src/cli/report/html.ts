/**
 * A report as one self-contained HTML page.
 *
 * @module
 */
import type { Column, ReportDocument, Section, Table } from './document.ts';

/** Renders the page. Texts of runs are escaped, and a content security policy forbids loading and running anything. */
export function asHtml({ title, sections }: ReportDocument): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${sections.map(sectionText).join('\n')}
</body>
</html>
`;
}

// --- internal ---

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d0d7de, #3d444d); --soft: light-dark(#59636e, #9198a1); --head: light-dark(#f6f8fa, #151b23); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#1f2328, #f0f6fc); background: light-dark(#fff, #0d1117); }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin-top: 2rem; }
p { color: var(--soft); margin: .4rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { background: var(--head); white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
@media print { :root { color-scheme: light; } body { margin: 0; max-width: none; font-size: 10pt; } .wide { overflow: visible; } thead { display: table-header-group; } tr { break-inside: avoid; } h2 { break-after: avoid; } }
`;

function sectionText({ heading, note, table }: Section): string {
  const about = note === undefined ? [] : [`<p>${escaped(note)}</p>`];
  return ['<section>', `<h2>${escaped(heading)}</h2>`, ...about, ...tableText(table), '</section>'].join('\n');
}

function tableText({ columns, rows, left, none }: Table): readonly string[] {
  if (rows.length === 0) return [`<p>${escaped(none)}</p>`];
  const heads = columns.map((column) => `<th scope="col"${classOf(column)}>${escaped(column.name)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map((text, at) => `<td${classOf(columns[at])}>${escaped(text)}</td>`).join('')}</tr>`,
  );
  return [
    '<div class="wide"><table>',
    `<thead><tr>${heads}</tr></thead>`,
    '<tbody>',
    ...body,
    '</tbody>',
    '</table></div>',
    ...(left > 0 ? [`<p>… and ${left} more.</p>`] : []),
  ];
}

function classOf(column: Column | undefined): string {
  return column?.isNumber ? ' class="number"' : '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (mark) => ENTITIES[mark] ?? '');
}
