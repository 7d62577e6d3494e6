/**
 * Parts of statements.
 *
 * @module
 */

/**
 * The time in milliseconds since 1970: a parameter, or that of the database if it is null. It is read once for each statement, as an index is
 * not used for a value that changes.
 */
export function nowIn(parameter: number): string {
  return `(SELECT coalesce($${parameter}::float8, extract(epoch FROM clock_timestamp())::float8 * 1000))`;
}

/** The channel in a statement, which a connection replaces by that of its store. */
export const CHANNEL = 'phasegate_channel';

/** Tells those who watch of a change, once the transaction is committed. It has no payload, as nobody relies on it. */
export const TELL = `pg_notify('${CHANNEL}', '')`;

/** The columns of a lease. */
export const CLAIM = 'holder, token, expires_at, ms';

/** The columns of a run without its lease. */
export const RUN = 'id, seq::float8 AS seq, pipeline, status, started_at, updated_at, info, sum::float8 AS sum';

/** Selects runs as `listedIn` needs them, with the time as the parameter `$1`. */
export const LISTED = `SELECT ${RUN}, ${CLAIM}, ${nowIn(1)} AS now FROM phasegate.runs`;

/**
 * The condition on runs that a process may continue now. Its parameters are `$1` the time, `$2` names of pipelines, and `$3` the texts of
 * fingerprints whose runs are left out.
 */
export const DUE = `pipeline = ANY($2::text[]) AND ready_at < 'Infinity' AND ready_at <= ${nowIn(1)} AND status = 'running'
  AND (token IS NULL OR expires_at <= ${nowIn(1)})
  AND NOT EXISTS (SELECT FROM unnest($3::text[]) AS other WHERE strpos(info, other) > 0)`;

/** Selects items as `itemIn` needs them. */
export const ITEMS = `SELECT items.id AS id, runs.id AS run_id, runs.pipeline AS pipeline, items.opened_at AS opened_at,
  items.open AS open, items.item AS item, items.sum::float8 AS sum
  FROM phasegate.items JOIN phasegate.runs ON runs.key = items.run`;

/**
 * A text as a parameter. A database holds no U+0000 and no half of a surrogate pair. Ids have none; other texts are stored whole in JSON, and
 * need their column only to be found.
 */
export function storable(text: string): string {
  return text.replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
}

/** An id to look for: null, which no row has, if no run can have it. */
export function idOrNull(id: string): string | null {
  return storable(id) === id ? id : null;
}
