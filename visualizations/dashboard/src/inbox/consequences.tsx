/**
 * The consequences of an answer, before it is sent.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import type { Choice } from '../../../../src/projections/inbox/item-choices.ts';
import { endText } from '../../../../src/projections/wording/sequel-words.ts';
import { inOneLine } from '../parts/untrusted-text.ts';
import { counted } from '../parts/words.ts';

/** The consequences of one choice. */
export function Consequences({ choice }: { readonly choice: Choice }): ReactNode {
  const { answer, means, runs, mayRun, skips, stale, spends } = choice;
  const effects = [
    ['Runs', runs],
    ['Runs if its input changes', mayRun],
    ['Skips', skips],
    ['Leaves stale', stale],
  ] as const;
  return (
    <div className="consequences">
      <h3>What follows</h3>
      {answer === 'rewind' ? <p>{inOneLine(means)}</p> : null}
      <p>{endText(choice)}</p>
      <dl>
        {effects.map(([what, names]) =>
          names.length === 0 ? null : (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                <Names names={names} />
              </dd>
            </div>
          ),
        )}
        {spends === 'nothing' ? null : (
          <div>
            <dt>Spends</dt>
            <dd>{spends}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

// --- internal ---

const MOST = 12;

function Names({ names }: { readonly names: readonly string[] }): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? names : names.slice(0, MOST);
  return (
    <>
      {shown.map((name, at) => (
        <span key={name}>
          {at > 0 ? ', ' : ''}
          <bdi>{inOneLine(name)}</bdi>
        </span>
      ))}
      {names.length > MOST && !isWhole ? (
        <>
          {' '}
          <button type="button" className="link" onClick={() => setIsWhole(true)}>
            and {counted(names.length - MOST, 'phase')} more
          </button>
        </>
      ) : null}
    </>
  );
}
