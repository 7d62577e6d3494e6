/**
 * Runs that tasks have started, on Restate: each is an object of its own. Its parent starts and cancels it, and it tells its parent its usage and its end.
 *
 * @module
 */
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import type { Pipeline } from '../model/definition/define.ts';
import type { RunRecord } from '../model/events/event.ts';
import { foldRun, resultOf } from '../projections/run/run-view.ts';
import { factsAbove } from '../runtime/steps/child-facts.ts';
import type { OutstandingWork, WorkFact } from '../runtime/steps/outstanding-work.ts';
import type { ChildEnd, WantedChild } from '../runtime/steps/session-children.ts';
import type { Calls } from './calls.ts';
import { refusalOf, type BeginRequest, type ChildRequest, type PostedRequest, type ServiceNames } from './messages.ts';
import { bytesOf, MOST_BYTES, runTooLarge } from './run-size.ts';
import type { ChildLink, ParentLink, RunHead } from './run-state.ts';

/** Returns the children after a step: wanted ones are started, and those of work that nobody wants are cancelled. */
export function followChildren(
  ctx: ObjectContext,
  { send, names }: Pick<Calls, 'send'> & { readonly names: ServiceNames },
  head: RunHead,
  records: readonly RunRecord[],
  work: readonly OutstandingWork[],
): readonly ChildLink[] {
  const tokens = new Set(work.map(({ token }) => token));
  const { children = [] } = head;
  for (const { id, token, task, isEnded } of children) {
    if (tokens.has(token)) continue;
    ctx.clear(keyOf(id));
    if (isEnded) continue;
    const parameter: PostedRequest = { kind: 'cancel', reason: `task "${task}" was stopped` };
    send(ctx, { service: names.run, method: 'posted', key: id, parameter });
  }
  const kept = children.filter(({ token }) => tokens.has(token));
  const first = records[0]?.event;
  const attended = first?.type === 'run.started' ? first.attended : false;
  for (const { id, token, wanted } of kept) {
    if (!wanted) continue;
    const { pipeline, input, limits } = wanted;
    const parameter: BeginRequest = { parent: { run: ctx.key, token }, start: { pipeline, input, limits, attended } };
    send(ctx, { service: names.run, method: 'begin', key: id, parameter });
  }
  return kept.map((link) => ({ ...link, wanted: undefined }));
}

/** Adds the runs that facts ask for. */
export function wantChildren(head: RunHead, token: string, facts: readonly WorkFact[]): RunHead {
  const { children = [] } = head;
  const known = new Set(children.map(({ id }) => id));
  const wanted = facts.filter((fact): fact is WantedChild => fact.type === 'child' && !known.has(fact.id));
  if (wanted.length === 0) return head;
  const links = wanted.map((one): ChildLink => ({ id: one.id, token, task: one.task, isEnded: false, wanted: one }));
  return { ...head, children: [...children, ...links] };
}

/** Tells the parent of a run what follows from a step. */
export function tellParent(
  ctx: ObjectContext,
  { send, names }: Pick<Calls, 'send'> & { readonly names: ServiceNames },
  { run, token }: ParentLink,
  pipeline: Pipeline<unknown>,
  { records, seq, isOver }: { readonly records: readonly RunRecord[]; readonly seq: number; readonly isOver: boolean },
): void {
  const facts = factsAbove(ctx.key, pipeline, records, seq);
  if (facts.length === 0 && !isOver) return;
  let end: ChildEnd | undefined;
  if (isOver) {
    const view = foldRun();
    for (const record of records) view.apply(record);
    end = { type: 'ended', result: resultOf(view.snapshot()) };
  }
  const parameter: ChildRequest = { id: ctx.key, token, facts, ...(end && { end }) };
  send(ctx, { service: names.run, method: 'child', key: run, parameter });
}

/** Keeps the end of a child. */
export function keepEnd(ctx: ObjectContext, head: RunHead, id: string, end: ChildEnd): RunHead {
  const { children = [] } = head;
  if (!children.some((one) => one.id === id)) return head;
  const bytes = head.bytes + bytesOf(end);
  const kept: ChildEnd =
    bytes > MOST_BYTES
      ? { type: 'refused', ...refusalOf(runTooLarge(`Cannot keep the result of run ${id}`, bytes)) }
      : end;
  ctx.set(keyOf(id), kept);
  return {
    ...head,
    bytes: head.bytes + bytesOf(kept),
    children: children.map((one) => (one.id === id ? { ...one, isEnded: true } : one)),
  };
}

/** Reads the ends of the children of a piece of work, by id. */
export async function readEnds(
  ctx: ObjectSharedContext,
  { children = [] }: RunHead,
  token: string,
): Promise<Readonly<Record<string, ChildEnd>>> {
  const ends: [string, ChildEnd][] = [];
  for (const one of children) {
    const end = one.token === token && one.isEnded ? await ctx.get<ChildEnd>(keyOf(one.id)) : null;
    if (end) ends.push([one.id, end]);
  }
  return Object.fromEntries(ends);
}

// --- internal ---

function keyOf(id: string): string {
  return `child:${id}`;
}
