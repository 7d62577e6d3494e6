/**
 * The choice of a draft, with its consequences.
 *
 * @module
 */
import { groupIssues } from '../../../../src/model/decision/issue.ts';
import type { Choice } from '../../../../src/projections/inbox/item-choices.ts';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { type Draft, replyOf } from './answer-draft.ts';

/**
 * Finds the choice of a draft. Of several rewinds it is that of the chosen phase. The consequences of a reclassification are
 * known once both issue and phase are chosen.
 */
export function chosenChoice(draft: Draft, detail: UiItemDetail): Choice | undefined {
  const { answer, target } = draft;
  const choice = detail.choices.find((one) => one.answer === answer && (answer !== 'rewind' || one.phase === target));
  return choice?.answer === 'reclassify' ? { ...choice, ...reclassification(draft, detail) } : choice;
}

// --- internal ---

type Effects = Pick<Choice, 'runs' | 'mayRun' | 'stale'>;

/** The reclassification sends back every phase that has an open issue. */
function reclassification(draft: Draft, detail: UiItemDetail): Effects | undefined {
  const { choices, item, reach } = detail;
  const drafted = replyOf(draft, detail);
  if ('problem' in drafted || drafted.reply.type !== 'decide') return undefined;
  const { decision } = drafted.reply;
  if (typeof decision === 'string' || !('issues' in decision)) return undefined;
  const sentBack = [...groupIssues(decision.issues ?? [], item.about, reach).keys()];
  const parts = choices.filter(({ answer, phase = item.about }) =>
    sentBack.includes(phase) ? answer === (phase === item.about ? 'retry' : 'rewind') : false,
  );
  const order = [...reach, item.about];
  const all = (names: readonly string[]) =>
    [...new Set(names)].toSorted((a, b) => placeIn(order, a) - placeIn(order, b));
  const runs = all(parts.flatMap((one) => one.runs));
  const others = (names: readonly string[]) => all(names.filter((name) => !runs.includes(name)));
  return {
    runs,
    mayRun: others(parts.flatMap((one) => one.mayRun)),
    stale: others(parts.flatMap((one) => one.stale)),
  };
}

/** Phases that the item's phase does not depend on come last. */
function placeIn(order: readonly string[], name: string): number {
  const at = order.indexOf(name);
  return at === -1 ? order.length : at;
}
