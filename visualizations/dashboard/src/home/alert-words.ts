/**
 * Alerts in words, grouped by run.
 *
 * @module
 */
import type { UiAlert } from '../../../../src/server/api.ts';
import { hashOfRun } from '../route.ts';

/** The alerts of one run. */
export interface AlertedRun {
  readonly runId: string;
  readonly pipeline: string;
  readonly troubles: readonly UiAlert[];
}

/** Groups alerts by run. Runs with problems come first, the others keep their order. */
export function byRun(troubles: readonly UiAlert[]): readonly AlertedRun[] {
  const runs = new Map<string, UiAlert[]>();
  for (const trouble of troubles) {
    const known = runs.get(trouble.runId);
    if (known) known.push(trouble);
    else runs.set(trouble.runId, [trouble]);
  }
  return [...runs]
    .map(([runId, own]) => ({ runId, pipeline: own[0]?.pipeline ?? '', troubles: own }))
    .toSorted((one, other) => Number(hasProblem(other)) - Number(hasProblem(one)));
}

/** The mark and the short name of an alert. */
export function labelOfAlert({ code }: Pick<UiAlert, 'code'>): { readonly mark: string; readonly word: string } {
  return LOOKS[code];
}

/** The link to an alert: its phase, in the view that shows it best. */
export function hashOfAlert({ runId, code, phase }: UiAlert): string {
  return hashOfRun(runId, {
    phase,
    tab: code === 'SILENT' ? 'timeline' : code.startsWith('LIMIT') ? 'quality' : 'graph',
  });
}

// --- internal ---

const LOOKS: Readonly<Record<UiAlert['code'], { readonly mark: string; readonly word: string }>> = {
  LOOPING: { mark: '∞', word: 'loop' },
  REPEATING: { mark: '↻', word: 'asked again' },
  RETRIES_SPENT: { mark: '∎', word: 'no retries left' },
  REWINDS_SPENT: { mark: '∎', word: 'no rewinds left' },
  ACCEPTED_UNAPPROVED: { mark: '!', word: 'accepted unapproved' },
  LIMIT_REACHED: { mark: '∎', word: 'limit reached' },
  LIMIT_NEAR: { mark: '!', word: 'limit near' },
  SILENT: { mark: '…', word: 'silent' },
  HUNG: { mark: '✗', word: 'does not respond' },
  GONE: { mark: '✗', word: 'abandoned' },
  QUEUED: { mark: '◊', word: 'queued' },
  LEFT: { mark: '◌', word: 'suspended' },
  DAMAGED: { mark: '✗', word: 'damaged' },
};

function hasProblem({ troubles }: AlertedRun): boolean {
  return troubles.some(({ severity }) => severity === 'problem');
}
