/**
 * Lays out plans aside, while the page goes on.
 *
 * @module
 */
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import { layoutForRun } from './layout-request.ts';

addEventListener('message', ({ data }: MessageEvent<Plan>) => postMessage(layoutForRun(data)));
