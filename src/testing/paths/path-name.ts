/**
 * Names of paths. A name follows from the decisions of its path alone.
 *
 * @module
 */
import { isPlain, type Act, type DecisionKind } from '../decisions/decision.ts';

/**
 * Returns the name of a path, such as `plan ✓ · code ↻×2 ✓ · review ↩code …`. Phases without a gate are left out. `…` stands for
 * approvals up to the end.
 */
export function pathName(acts: readonly Act[]): string {
  const last = acts.findLastIndex((act) => !isPlain(act));
  if (last === -1) return 'all ✓';
  const told = acts.slice(0, last + 1).filter(({ decision }) => decision !== 'done');
  const groups: { about: string; marks: string[] }[] = [];
  for (const act of told) {
    const group = groups.at(-1);
    if (group?.about === act.about) group.marks.push(markOf(act));
    else groups.push({ about: act.about, marks: [markOf(act)] });
  }
  const text = groups.map(({ about, marks }) => `${quoted(about)} ${counted(marks).join(' ')}`).join(' · ');
  return acts.slice(last + 1).some(isPlain) ? `${text} …` : text;
}

/** Returns a decision in words, such as `code: retryPredecessor plan`. */
export function decisionName({ about, by, decision, target, check, limit }: Act): string {
  const words = [`${about}:`, decision, target ?? check ?? limit ?? ''].filter((word) => word !== '');
  return by === 'person' || by === 'clock' ? `${by} ${words.join(' ')}` : words.join(' ');
}

// --- internal ---

const MARKS: Readonly<Record<DecisionKind | 'done', string>> = {
  approve: '✓',
  retry: '↻',
  retryPredecessor: '↩',
  reject: '✗',
  escalate: 'escalate',
  unreadable: 'unreadable',
  unsure: 'unsure',
  reviewError: 'error',
  failedCheck: 'check ',
  failedTask: 'failed',
  spentLimit: 'spends ',
  skip: 'skip',
  abort: 'abort',
  expire: 'expired',
  done: '',
};

function markOf({ by, decision, target, check, limit }: Act): string {
  const about = target ?? check ?? limit;
  const mark = `${MARKS[decision]}${about === undefined ? '' : quoted(about)}`;
  return by === 'person' ? `person ${mark}` : mark;
}

/** Joins equal marks that follow each other. */
function counted(marks: readonly string[]): readonly string[] {
  const runs: { mark: string; times: number }[] = [];
  for (const mark of marks) {
    const run = runs.at(-1);
    if (run?.mark === mark) run.times += 1;
    else runs.push({ mark, times: 1 });
  }
  return runs.map(({ mark, times }) => (times === 1 ? mark : `${mark}×${times}`));
}

/** Quotes a name that could be taken for something else in the name of a path. */
function quoted(name: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? name : JSON.stringify(name);
}
