/**
 * Subtasks of an attempt that do not fit together.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { counted } from '../../parts/words.ts';
import type { TaskHistory } from '../phase/task-history.ts';
import { conflictsIn } from './work-in.ts';

/** The conflicts, with their paths; nothing if there are none. */
export function ConflictsView({ tasks }: { readonly tasks: readonly TaskHistory[] }): ReactNode {
  const conflicts = conflictsIn(tasks);
  if (conflicts.length === 0) return null;
  return (
    <section className="warning" aria-label="Conflicts">
      <h4>{counted(conflicts.length, 'conflict')}</h4>
      {conflicts.map(({ name, paths, others }) => (
        <div key={name}>
          <p>
            Subtask {startOf(name, 60)} conflicts with{' '}
            {others.length === 0 ? 'earlier subtasks' : others.map((one) => startOf(one, 60)).join(', ')}. Its work is
            left out.
          </p>
          <ul aria-label={`Paths in conflict of ${startOf(name, 60)}`}>
            {paths.slice(0, MOST_PATHS).map((path) => (
              <li key={path}>
                <code>{inOneLine(path)}</code>
              </li>
            ))}
          </ul>
          {paths.length > MOST_PATHS ? <p className="quiet">and {paths.length - MOST_PATHS} more</p> : null}
        </div>
      ))}
    </section>
  );
}

// --- internal ---

const MOST_PATHS = 50;
