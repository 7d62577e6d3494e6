/**
 * The usage of the phase and of the run, and its limits.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { dollars, usageText } from '../../../../src/projections/wording/amount-words.ts';
import type { UiItemDetail } from '../../../../src/server/api.ts';
import { Meter } from '../parts/meter.tsx';
import { amount, exactDuration } from '../parts/words.ts';

/** Meters of the run, and a line about the phase. Times alone, which have no limit, tell nothing and are not shown. */
export function ItemUsage({ detail }: { readonly detail: UiItemDetail }): ReactNode {
  const { item, used, phaseUsed, limits } = detail;
  const meters = [
    ['Cost', used.costUsd, limits.costUsd, dollars],
    ['Tokens', used.tokens, limits.tokens, amount],
    ['Corrections', used.corrections, limits.corrections, amount],
    ['Working time', used.durationMs, limits.durationMs, exactDuration],
    ['Total time', used.elapsedMs, limits.deadlineMs, exactDuration],
  ] as const;
  if (!meters.some(([name, value, max]) => max !== undefined || (value > 0 && !TIMES.has(name)))) return null;
  return (
    <section aria-labelledby="usage-heading">
      <h2 id="usage-heading">Used so far</h2>
      <div className="usage">
        {meters.map(([name, value, max, text]) =>
          value === 0 && max === undefined ? null : <Meter key={name} name={name} used={value} max={max} text={text} />,
        )}
        {item.kind === 'limit' || used.tokens + used.costUsd === 0 ? null : (
          <p className="quiet">
            {phaseUsed.tokens + phaseUsed.costUsd === 0
              ? 'This phase has used no tokens and no money.'
              : `By this phase: ${usageText(phaseUsed)}`}
          </p>
        )}
      </div>
    </section>
  );
}

// --- internal ---

const TIMES: ReadonlySet<string> = new Set(['Working time', 'Total time']);
