/**
 * phasegate/visualizations: pictures of pipelines, of their runs, and of the state machines; and the data that they are made of.
 *
 * @module
 */
export { toDot } from '../visualizations/pictures/dot.ts';
export { toMermaid } from '../visualizations/pictures/mermaid.ts';
export { toSvg } from '../visualizations/pictures/svg.ts';
export {
  runStandingOf,
  type PhaseStanding,
  type RunStanding,
  type StandingState,
  type StandingTone,
} from '../visualizations/pictures/run-standing.ts';
export type { RewindPair } from '../visualizations/layout/ways-back.ts';
export type { Box, NodeSize, Point } from '../visualizations/layout/arrange.ts';
export {
  layoutOf,
  type Layout,
  type LayoutEdge,
  type LayoutNode,
  type LayoutOptions,
} from '../visualizations/layout/layout.ts';
export {
  statechartOf,
  type ChartedMachine,
  type ChartedNode,
  type ChartState,
  type ChartTransition,
  type ChartTrigger,
  type Statechart,
} from '../visualizations/statechart/statechart.ts';
export { chartToDot } from '../visualizations/statechart/statechart-dot.ts';
export { chartToMermaid } from '../visualizations/statechart/statechart-mermaid.ts';
export { chartToSvg } from '../visualizations/statechart/statechart-svg.ts';
export type { RunRecord } from './model/events/event.ts';
export {
  foldTimeline,
  type Timeline,
  type TimelineArrow,
  type TimelineBar,
  type TimelineHold,
  type TimelineKind,
  type TimelineOutcome,
} from './projections/timeline/timeline.ts';
