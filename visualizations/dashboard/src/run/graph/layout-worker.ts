/**
 * A worker that lays out plans, so that the page stays responsive.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { layoutForRun } from './layout-request.ts';

addEventListener('message', ({ data }: MessageEvent<Plan>) => postMessage(layoutForRun(data)));
