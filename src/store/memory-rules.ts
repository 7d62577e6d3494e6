/**
 * Rules of memories that all stores share.
 *
 * @module
 */
import { LONGEST_REFLECTION, MOST_REFLECTIONS } from '../model/revision/revision-extras.ts';
import type { Memory } from '../projections/run/learned.ts';
import type { MemoryFilter } from './port.ts';
import { memoryOf } from './serialize.ts';

/** Most memories of one phase of one pipeline in one scope. Older ones are removed. */
export const MOST_MEMORIES = MOST_REFLECTIONS;

/** True if a memory matches a filter. */
export function matchesMemory(memory: Memory, { scope, pipeline, phase, runId }: MemoryFilter): boolean {
  if (scope !== undefined && memory.scope !== scope) return false;
  if (pipeline !== undefined && memory.pipeline !== pipeline) return false;
  if (phase !== undefined && memory.phase !== phase) return false;
  return runId === undefined || memory.runId === runId;
}

/** Adds a memory, as JSON text, to others. Removes the oldest ones of the same phase above the limit. */
export function remember(memories: string[], text: string): void {
  memories.push(text);
  const { scope, pipeline, phase } = memoryOf(text);
  const ofPhase = memories.filter((one) => matchesMemory(memoryOf(one), { scope, pipeline, phase }));
  for (const old of ofPhase.slice(0, -MOST_MEMORIES)) memories.splice(memories.indexOf(old), 1);
}

/** The defect of a batch's memories; `undefined` if there is none. */
export function memoryProblem(runId: string, memories: readonly Memory[] = []): string | undefined {
  for (const { runId: own, seq, text } of memories) {
    if (own !== runId) return `the memory of record ${seq} belongs to run ${own}`;
    if (text.length > LONGEST_REFLECTION)
      return `the memory of record ${seq} has ${text.length} characters, and at most ${LONGEST_REFLECTION} are allowed`;
  }
  return undefined;
}
