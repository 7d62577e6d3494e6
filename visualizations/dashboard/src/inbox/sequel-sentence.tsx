/**
 * The sentence about the answer to an item.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { ItemSequel } from '../../../../src/projections/inbox/item-sequel.ts';
import { sequelWords } from '../../../../src/projections/wording/sequel-words.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { hashOfRun } from '../route.ts';

interface SequelSentenceProps {
  readonly run: string;
  readonly sequel: ItemSequel;
}

/** The answer, its effect and the present state, with links to the phases that it names. It changes as the run goes on. */
export function SequelSentence({ run, sequel }: SequelSentenceProps): ReactNode {
  return (
    <>
      {sequelWords(sequel).map(({ text, phase }, at) => {
        // Spaces at the ends of a part separate it from the next one.
        const [start = '', end = ''] = [/^\s/u, /\s$/u].map((space) => (space.test(text) ? ' ' : ''));
        const words = startOf(text, 300);
        return phase === undefined ? (
          <span key={at}>{words === '' ? start : `${start}${words}${end}`}</span>
        ) : (
          <a key={at} href={hashOfRun(run, { phase })}>
            <bdi>{words}</bdi>
          </a>
        );
      })}
      .
    </>
  );
}
