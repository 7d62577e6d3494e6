/**
 * Damage of the file that no listed run shows.
 *
 * @module
 */
import { errorInfo } from '../../model/errors/phasegate-error.ts';
import type { Connection } from './connection.ts';
import { isBusy } from './problems.ts';
import { number, text } from '../sql/rows.ts';

/** Checks all pages and indexes, and looks for records without a run. @returns The problems, as sentences. */
export function problemsIn({ sql }: Connection): readonly string[] {
  try {
    const pages = sql(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all();
    const problems = pages.map((row) => text(row, 'integrity_check')).filter((problem) => problem !== 'ok');
    const lost = number(sql(LOST).get() ?? {}, 'count');
    if (lost > 0) problems.push(`${lost === 1 ? 'One run has' : `${lost} runs have`} records, but no row`);
    return problems;
  } catch (error) {
    if (isBusy(error)) throw error;
    return [errorInfo(error).message];
  }
}

// --- internal ---

/** Most problems that are named: one damaged page causes many. */
const MOST_PROBLEMS = 10;

const LOST = `SELECT count(*) AS count FROM (SELECT DISTINCT key >> 32 AS run FROM records)
  WHERE run NOT IN (SELECT key FROM runs)`;
