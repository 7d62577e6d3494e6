/**
 * phasegate/quality: defects, effort and measures of gates, as the records of runs tell them.
 *
 * @module
 */
export type { Attribution, Defect, Detection, Disposition, Finder } from './projections/quality/defect.ts';
export type { Effort } from './projections/quality/effort.ts';
export { defectsOf, measuresOf } from './projections/quality/quality.ts';
export type { ConfidenceBand, ReviewerMeasures } from './projections/quality/calibration.ts';
export type {
  ContainmentRow,
  EffortSplit,
  Figures,
  GateMeasures,
  Measures,
  PhaseMeasures,
} from './projections/quality/measures.ts';
export { yieldsOf, type PhaseCounts, type PhaseYield } from './projections/quality/yields.ts';
