/**
 * Reassignment of an issue to another phase.
 *
 * @module
 */
import type { Decision } from '../../model/decision/decision.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { isDemand, routed } from '../../model/review/verdict.ts';
import type { ItemDetail } from './item-detail.ts';

/**
 * Makes the decision that reassigns an open issue to another phase. As the gate would, it sends back the earliest phase that an open
 * issue is about, with all open issues.
 *
 * @param detail Of an item of the inbox that is about a phase.
 * @param issue The `id` of one of `detail.findings`.
 * @param phase The phase that waits, or one that it needs.
 * @throws PhasegateError `ANSWER_INVALID` if there is no such issue or phase.
 *
 * @example
 * ```ts
 * const detail = itemDetail(records, item);
 * await run.decide('coding', reclassify(detail, 'no-login', 'planning'));
 * ```
 */
export function reclassify(
  detail: Pick<ItemDetail, 'item' | 'findings' | 'attempts' | 'reach'>,
  issue: string,
  phase: string,
): Decision {
  const { item, findings, attempts, reach: above } = detail;
  if (!findings.some(({ id }) => id === issue)) {
    throw impossible(
      detail,
      `no open issue is called ${quoted(issue)}`,
      `Open are ${names(findings.map(({ id }) => id))}.`,
    );
  }
  if (phase !== item.about && !above.includes(phase)) {
    throw impossible(
      detail,
      `"${item.about}" does not need a phase called ${quoted(phase)}`,
      `Name "${item.about}" or one of ${names(above)}.`,
    );
  }
  const issues = findings.flatMap((finding) =>
    finding.id === issue ? finding.issues.slice(0, 1).map((one) => ({ ...one, affectedPhase: phase })) : finding.issues,
  );
  const verdict = attempts.at(-1)?.verdict;
  const feedback = verdict && isDemand(verdict) ? verdict.feedback : '';
  const gate = { targets: above, onInvalidTarget: 'approve' as const };
  return routed([{ type: 'retry', feedback, issues }], gate, item.about) ?? { type: 'retry', feedback, issues };
}

// --- internal ---

function impossible({ item }: Pick<ItemDetail, 'item'>, why: string, hint: string): PhasegateError {
  return new PhasegateError('ANSWER_INVALID', `Cannot reclassify an issue of item ${item.id} as ${why}`, { hint });
}

function names(all: readonly string[]): string {
  return all.length === 0 ? 'none' : all.map(quoted).join(', ');
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
