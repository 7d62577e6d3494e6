/**
 * A coverage as headings and tables.
 *
 * @module
 */
import { countTables, coverageSummary } from '../../projections/coverage/coverage-lines.ts';
import type { Coverage } from '../../projections/coverage/coverage.ts';
import { columns, tableOf, type ReportDocument } from './document.ts';

/** Creates the page of a coverage. @param unreadable The number of runs that could not be read. */
export function coverageDocument(coverage: Coverage, unreadable: number): ReportDocument {
  const tables = countTables(coverage).filter(({ rows }) => rows.length > 0);
  const missing = tableOf(columns('Entry'), coverage.missing, (name) => [name], 'Runs have shown everything.');
  return {
    title: coverageSummary(coverage, unreadable),
    sections: [
      { heading: 'Not shown by any run', table: missing },
      ...tables.map(({ title, columns: heads, rows }, at) => ({
        heading: title,
        ...(at === 0 && { note: LEGEND }),
        table: tableOf(
          columns(...heads.map((head, place) => (place === 0 ? head : `#${head}`))),
          rows,
          (row) => row,
          '',
        ),
      })),
    ],
  };
}

// --- internal ---

const LEGEND =
  'Cells are numbers of times: ✗ is asked for and not shown, · is not asked for. Two parts are granted and refused, or answered and expired.';
