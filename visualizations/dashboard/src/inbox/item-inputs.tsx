/**
 * The inputs of the phase: the approved outputs of earlier phases.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { Inputs } from '../../../../src/model/handlers/task.ts';
import type { UiItem } from '../../../../src/server/api.ts';
import { ClosedPart } from '../parts/closed-part.tsx';
import { inOneLine } from '../parts/untrusted-text.ts';
import { OutputView } from '../parts/output-view.tsx';

interface ItemInputsProps {
  readonly item: UiItem;
  readonly inputs: Inputs;
}

/** Shown at once if a person does the work; collapsed if a person only judges it. */
export function ItemInputs({ item, inputs }: ItemInputsProps): ReactNode {
  const outputs = Object.entries(inputs).flatMap(([phase, tasks]) =>
    Object.entries(tasks).map(([task, value]) => ({ phase: inOneLine(phase), task: inOneLine(task), value })),
  );
  if (outputs.length === 0) return null;
  const views = () =>
    outputs.map(({ phase, task, value }) => (
      <div key={JSON.stringify([phase, task])} className="output">
        <h3>
          <bdi>{phase}</bdi> / <bdi>{task}</bdi>
        </h3>
        <OutputView value={value} name={`${task} of ${phase}`} />
      </div>
    ));
  return (
    <section aria-labelledby="inputs-heading">
      <h2 id="inputs-heading">Inputs</h2>
      {item.kind === 'task' ? views() : <ClosedPart summary="Outputs of earlier phases">{views}</ClosedPart>}
    </section>
  );
}
