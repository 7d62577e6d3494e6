/**
 * Defects and measures of a run: a fold over its records.
 *
 * @module
 */
import type { RunEvent, RunRecord } from '../../model/events/event.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { byName } from '../../model/values/by-name.ts';
import { foldCauses, type CorrectionEvent } from './correction-causes.ts';
import { foldDefectLog, type TrackedDefect } from './defect-fold.ts';
import type { Defect } from './defect.ts';
import { addEffort, foldEffort, noEffort, type Effort, type GrowingEffort, type Spent } from './effort.ts';
import { foldTallies } from './gate-tally.ts';
import { measure, noEfforts, type GrowingSplit, type Measures } from './measures.ts';

/** A fold over the records of one run, from the first on. */
export interface QualityFold {
  apply(record: RunRecord): void;
  /** Returns the defects, in the order of detection. */
  defects(): readonly Defect[];
  measures(): Measures;
}

/** Returns the defects of a run, in the order of detection. @param records Any number, from the first on. */
export function defectsOf(records: Iterable<RunRecord>): readonly Defect[] {
  return folded(records).defects();
}

/** Returns the measures of a run. @param records Any number, from the first on. */
export function measuresOf(records: Iterable<RunRecord>): Measures {
  return folded(records).measures();
}

/**
 * Starts a fold before the first record.
 *
 * The cost of tasks in an attempt that corrections have led to is rework. It is divided equally between these corrections, and the
 * share of each equally between the defects that it includes.
 */
export function foldQuality(): QualityFold {
  const log = foldDefectLog();
  const causes = foldCauses();
  const tallies = foldTallies();
  const corrections: (readonly TrackedDefect[])[] = [];
  const attempts = new Map<TrackedDefect, Map<string, number>>();
  const ended: Account = { efforts: new Map(), rework: new Map() };
  let plan: Plan | undefined;

  function book(account: Account, { phase, kind, effort }: Spent): void {
    const due = kind === 'work' ? causes.of(phase) : [];
    const split = getOrMake(account.efforts, phase, noEfforts);
    addEffort(due.length > 0 ? split.rework : split[kind], effort);
    for (const cause of due) {
      const defects = corrections[cause] ?? [];
      for (const defect of defects)
        addEffort(getOrMake(account.rework, defect, noEffort), effort, 1 / (due.length * defects.length));
    }
  }

  const efforts = foldEffort((spent) => book(ended, spent));

  function countAttempt(phase: string): void {
    for (const defect of new Set(causes.of(phase).flatMap((cause) => corrections[cause] ?? []))) {
      const counts = getOrMake(attempts, defect, () => new Map<string, number>());
      counts.set(phase, (counts.get(phase) ?? 0) + 1);
    }
  }

  /** Includes efforts in progress, whose purpose may still change. */
  function accountNow(): Account {
    const account = copyOf(ended);
    for (const spent of efforts.underWay()) book(account, spent);
    return account;
  }

  function defectsIn({ rework }: Account): readonly Defect[] {
    return log.defects.map((defect) => defectOf(defect, attempts.get(defect), rework.get(defect)));
  }

  return {
    defects: () => defectsIn(accountNow()),
    measures() {
      const account = accountNow();
      return measure({ plan, defects: defectsIn(account), efforts: account.efforts, tallies: tallies.gates });
    },
    apply(record) {
      const { event } = record;
      if (event.type === 'run.started' || event.type === 'run.resumed') plan = event.plan ?? plan;
      // Efforts in progress until now belong to the causes before this record.
      efforts.apply(record);
      log.apply(record);
      tallies.apply(record);
      if (isCorrection(event)) corrections.push(log.correct(event, record.seq));
      causes.apply(event, corrections.length - 1);
      if (event.type === 'phase.started') countAttempt(event.phase);
    },
  };
}

// --- internal ---

/** The efforts of all phases, and the rework of all defects. */
interface Account {
  readonly efforts: Map<string, GrowingSplit>;
  readonly rework: Map<TrackedDefect, GrowingEffort>;
}

function copyOf({ efforts, rework }: Account): Account {
  const splits = [...efforts].map(([phase, { work, appraisal, rework: again }]) => {
    const split = { work: effortOf(work), appraisal: effortOf(appraisal), rework: effortOf(again) };
    return [phase, split] as const;
  });
  return {
    efforts: new Map(splits),
    rework: new Map([...rework].map(([defect, effort]) => [defect, effortOf(effort)])),
  };
}

function effortOf(effort: Effort | undefined): GrowingEffort {
  return Object.assign(noEffort(), effort);
}

function getOrMake<K, V>(all: Map<K, V>, key: K, make: () => V): V {
  const known = all.get(key) ?? make();
  all.set(key, known);
  return known;
}

function folded(records: Iterable<RunRecord>): QualityFold {
  const fold = foldQuality();
  for (const record of records) fold.apply(record);
  return fold;
}

function isCorrection(event: RunEvent): event is CorrectionEvent {
  return event.type === 'phase.retrying' || event.type === 'phase.rewinding';
}

function defectOf(
  defect: TrackedDefect,
  attempts: ReadonlyMap<string, number> | undefined,
  rework: Effort | undefined,
): Defect {
  const { number, id, type, severity, description, injected, disposition, removed, fix } = defect;
  return {
    number,
    id,
    type,
    severity,
    description,
    injected,
    attribution: [...defect.attribution],
    detected: defect.found[0],
    found: [...defect.found],
    disposition,
    removed,
    fix,
    corrections: [...defect.corrections],
    attempts: byName(attempts),
    rework: effortOf(rework),
  };
}
