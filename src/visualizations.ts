/**
 * phasegate/visualizations: pictures of pipelines, of their runs, and of the machines, and what they are made from.
 *
 * @module
 */
export { toDot } from '../visualizations/dot.ts';
export { toMermaid } from '../visualizations/mermaid.ts';
export { toSvg } from '../visualizations/svg.ts';
export {
  standingIn,
  type PhaseStanding,
  type RunStanding,
  type StandingState,
  type StandingTone,
} from '../visualizations/standing.ts';
export type { RewindPair } from '../visualizations/ways-back.ts';
export type { Box, NodeSize, Point } from '../visualizations/arrange.ts';
export {
  layoutOf,
  type Layout,
  type LayoutEdge,
  type LayoutNode,
  type LayoutOptions,
} from '../visualizations/layout.ts';
export {
  statechartOf,
  type ChartedMachine,
  type ChartedNode,
  type ChartState,
  type ChartTransition,
  type ChartTrigger,
  type Statechart,
} from '../visualizations/statechart.ts';
export { chartToDot } from '../visualizations/statechart-dot.ts';
export { chartToMermaid } from '../visualizations/statechart-mermaid.ts';
export { chartToSvg } from '../visualizations/statechart-svg.ts';
export {
  foldTimeline,
  type Timeline,
  type TimelineArrow,
  type TimelineBar,
  type TimelineHold,
  type TimelineKind,
  type TimelineOutcome,
} from './model/timeline.ts';
