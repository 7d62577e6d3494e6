/**
 * Figures of measures as text.
 *
 * @module
 */

/** Text for a figure that is zero or not defined. */
export const NONE = '–';

/** Writes a share, such as `42.3 %`. @param percent 0 to 100. */
export function share(percent: number | null): string {
  return percent === null ? NONE : `${percent.toFixed(1)} %`;
}

/** Writes a ratio, such as `0.40`. */
export function ratioText(value: number | null): string {
  return value === null ? NONE : value.toFixed(2);
}
