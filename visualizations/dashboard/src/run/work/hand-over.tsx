/**
 * The work of a fleet for the user's branch, and the command that takes it. The page itself changes no branch.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { levelNumber } from '../../../../../src/model/plan/level.ts';
import type { Plan } from '../../../../../src/model/plan/plan.ts';
import type { RunSnapshot } from '../../../../../src/projections/run/run-result.ts';
import { useSession } from '../../data/session.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { shellWord } from '../../parts/shell-word.ts';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { counted } from '../../parts/words.ts';
import { handOverIn } from './hand-over-in.ts';

interface HandOverProps {
  /** The run that the branch is named for. */
  readonly run: string;
  readonly snapshot: Pick<RunSnapshot, 'phases' | 'status'>;
  readonly plan: Plan | undefined;
}

/** The branch and the command; nothing for a run without work to take. */
export function HandOver({ run, snapshot, plan }: HandOverProps): ReactNode {
  const { store } = useSession();
  const whole = handOverIn(snapshot.phases);
  const levels = (plan?.phases ?? []).filter((phase) => levelNumber(phase) !== undefined);
  const approved = levels.filter(({ name }) => snapshot.phases[name]?.status === 'approved').length;
  const hasEnded = snapshot.status !== 'running' && snapshot.status !== 'completed';
  if (!whole && !(hasEnded && approved > 0)) return null;
  const words = ['apply', run, ...(whole ? [] : ['--partial']), '--store', store];
  return (
    <section className="hand-over" aria-label="Work to take">
      <p>
        {whole ? (
          <>
            The approved work is on branch <code>{startOf(whole.branch, 120)}</code>, commit{' '}
            <code title={inOneLine(whole.commit)}>{startOf(whole.commit, 12)}</code>. To move your branch to it:
          </>
        ) : (
          <>
            {counted(approved, 'level')} of {levels.length} {approved === 1 ? 'was' : 'were'} approved before the run
            ended. To take what is on its branch:
          </>
        )}
      </p>
      <CommandLine line={`phasegate ${words.map((word) => shellWord(inOneLine(word))).join(' ')}`} />
    </section>
  );
}
