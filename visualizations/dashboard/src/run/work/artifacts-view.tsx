/**
 * The artifacts of a task or a reviewer: its calls of models, and others.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { modelCallIn, type ModelCall } from '../../../../../src/model/handlers/model-call.ts';
import { ClosedPart } from '../../parts/closed-part.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { OutputView } from '../../parts/output-view.tsx';
import { inOneLine, startOf } from '../../parts/untrusted-text.ts';
import { amount, counted } from '../../parts/words.ts';
import type { TaskHistory } from '../phase/task-history.ts';

/** The artifacts, each part behind a switch; nothing if there are none. */
export function ArtifactsView({ task }: { readonly task: Pick<TaskHistory, 'name' | 'artifacts'> }): ReactNode {
  const parts = task.artifacts.map((artifact) => ({ ...artifact, call: modelCallIn(artifact.content) }));
  const calls = parts.flatMap(({ call }) => call ?? []);
  const others = parts.filter(({ call }) => call === undefined);
  return (
    <>
      {calls.map((call, at) => (
        <ClosedPart
          key={at}
          summary={`Messages and answer${calls.length > 1 ? ` of call ${at + 1}` : ''}${factsOf(call)}`}
        >
          {() => <CallView call={call} whose={inOneLine(task.name)} />}
        </ClosedPart>
      ))}
      {others.length === 0 ? null : (
        <ClosedPart summary={counted(others.length, 'artifact')}>
          {() =>
            others.map(({ name, content }, at) => (
              <div key={`${at} ${name}`}>
                <h5>{inOneLine(name)}</h5>
                <OutputView value={content} name={`artifact ${inOneLine(name)}`} />
              </div>
            ))
          }
        </ClosedPart>
      )}
    </>
  );
}

// --- internal ---

function CallView({ call, whose }: { readonly call: ModelCall; readonly whose: string }): ReactNode {
  return (
    <section aria-label={`Call of ${whose}`}>
      {call.messages.map(({ role, content }, at) => (
        <div key={at}>
          <h5>{TITLES.get(role) ?? `Message of ${startOf(role, 40)}`}</h5>
          <LongText text={content} name={`message ${at + 1} of ${whose}`} />
        </div>
      ))}
      <h5>Answer</h5>
      <OutputView value={call.answer} name={`answer to ${whose}`} />
    </section>
  );
}

const TITLES: ReadonlyMap<string, string> = new Map([
  ['system', 'System prompt'],
  ['user', 'Prompt'],
]);

/** Model and tokens, after a colon; '' if neither is known. */
function factsOf({ model, inputTokens, outputTokens }: ModelCall): string {
  const facts = [
    ...(model === undefined ? [] : [startOf(model, 60)]),
    ...(inputTokens === undefined ? [] : [`${amount(inputTokens)} tokens in`]),
    ...(outputTokens === undefined ? [] : [`${amount(outputTokens)} out`]),
  ];
  return facts.length === 0 ? '' : `: ${facts.join(', ')}`;
}
