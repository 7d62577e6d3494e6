/**
 * Selects of runs and of items.
 *
 * @module
 */

// Numbers are cast, as SQLite refuses a whole list in which one is too large for JavaScript.
const COLUMNS = `SELECT id, CAST(seq AS REAL) AS seq, pipeline, status, started_at, updated_at, info,
  CAST(sum AS REAL) AS sum, CAST(checked_from AS REAL) AS checked_from,
  holder, token, expires_at, ms FROM`;

/** Selects runs as `listedIn` needs them. */
export const LISTED = `${COLUMNS} runs LEFT JOIN leases ON run_id = id`;

/** Selects runs with a lease, valid or not. It reads the leases first, as there are few, however many runs there are. */
export const LEASED = `${COLUMNS} leases CROSS JOIN runs ON run_id = id`;

/** Selects items as `itemIn` needs them. */
export const ITEMS = `SELECT items.id AS id, runs.id AS run_id, runs.pipeline AS pipeline, items.opened_at AS opened_at,
  CAST(items.open AS REAL) AS open, items.item AS item,
  CAST(items.sum AS REAL) AS sum FROM items LEFT JOIN runs ON runs.key = items.run`;
