/**
 * The sources on tides. Research may use nothing else.
 *
 * @module
 */

/** A source with one fact. */
export interface Source {
  readonly name: string;
  readonly says: string;
  readonly figure: string;
}

export const SOURCES: readonly Source[] = [
  {
    name: 'Moon Facts',
    says: 'The Moon is far away, and its pull is weaker the farther away it is',
    figure: '384,400 km on average',
  },
  {
    name: 'Tides and Water Levels',
    says: 'The Moon pulls the near side of the Earth more than the far side, so the sea bulges on both',
    figure: '2 bulges',
  },
  {
    name: 'Tide Tables',
    says: 'The Moon moves on while the Earth turns, so high tides come a little later than twice a day',
    figure: '12 hours and 25 minutes apart',
  },
  {
    name: 'Sailing Directions',
    says: 'Where a bay narrows, the tide is at its highest, as in the Bay of Fundy',
    figure: 'up to 16 metres',
  },
];
