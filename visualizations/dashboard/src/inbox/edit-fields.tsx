/**
 * Outputs that a person edits in place of those of the attempt.
 *
 * @module
 */
import type { ReactNode } from 'react';
import { useStoredValues } from '../data/stored-value.ts';
import { useSession } from '../data/session.ts';
import { inOneLine, textOf } from '../parts/untrusted-text.ts';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { shellWord } from '../parts/shell-word.ts';
import type { Draft, Typed } from './answer-draft.ts';
import type { FieldsProps } from './answer-fields.tsx';
import { TypedField } from './typed-field.tsx';

/** A field for each task, with its output. Only edited outputs are sent. */
export function EditFields({ draft, detail, change, wrong, disabled }: FieldsProps): ReactNode {
  const outputs = detail.attempts.at(-1)?.outputs ?? {};
  const { values, fetchAll } = useStoredValues(detail.tasks.map((task) => outputs[task]));
  const write = (task: string, typed: Typed | undefined) => change({ outputs: withOutput(draft.outputs, task, typed) });
  return detail.tasks.map((task, at) => {
    const kept = values[at];
    const name = inOneLine(task);
    if (kept?.state === 'refused') return <RefusalNote key={task} error={kept.error} />;
    if (kept?.state === 'loading') {
      return (
        <p key={task} className="quiet">
          Loading {name}…
        </p>
      );
    }
    const typed = draft.outputs[task];
    if (kept?.state === 'there' && !typed && isTooLong(kept.value))
      return <TooLong key={task} name={name} item={detail.item.id} />;
    if (kept?.state === 'elsewhere' && !typed) {
      return (
        <p key={task}>
          <button type="button" onClick={fetchAll} disabled={disabled}>
            Load {name} to edit it
          </button>
        </p>
      );
    }
    return (
      <div key={task}>
        <TypedField
          label={typed ? `${name} (changed)` : name}
          typed={typed ?? typedOf(kept?.state === 'there' ? kept.value : undefined)}
          rows={10}
          isWrong={wrong === 'outputs'}
          disabled={disabled}
          onChange={(next) => write(task, next)}
        />
        {typed && !disabled ? (
          <button type="button" className="link" onClick={() => write(task, undefined)}>
            Restore {name}
          </button>
        ) : null}
      </div>
    );
  });
}

// --- internal ---

/** Bytes of an output in an answer. The server's limit also covers the rest of the request. */
const MOST_BYTES = 990_000;

function isTooLong(value: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(value)).length > MOST_BYTES;
}

function TooLong({ name, item }: { readonly name: string; readonly item: string }): ReactNode {
  const { store } = useSession();
  return (
    <div>
      <p>
        {name} is too long to edit here: the limit is a million bytes. Write it to a JSON file, as an object with the
        task name as key:
      </p>
      <pre className="command">
        phasegate inbox answer {shellWord(inOneLine(item))} --edit outputs.json --store {shellWord(inOneLine(store))}
      </pre>
    </div>
  );
}

function typedOf(value: unknown): Typed {
  return { as: typeof value === 'string' || value === undefined ? 'text' : 'json', text: textOf(value) };
}

function withOutput(outputs: Draft['outputs'], task: string, typed: Typed | undefined): Draft['outputs'] {
  const others = Object.entries(outputs).filter(([name]) => name !== task);
  return Object.fromEntries(typed ? [...others, [task, typed]] : others);
}
