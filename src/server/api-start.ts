/**
 * The part of the HTTP API that starts runs. It has types only, as both sides import it.
 *
 * @module
 */
import type { Refusal } from './http/refusal.ts';

/** A pipeline of which the server starts runs. */
export interface UiPipeline {
  readonly name: string;
  /** The number of its phases. */
  readonly phases: number;
  /** True if a schema checks the input of its runs. */
  readonly isChecked: boolean;
  /** The JSON Schema of the input, if its schema has one. */
  readonly schema?: unknown;
  /** The fields of a form for the input, which is an object. Absent if only JSON or text can hold every input. */
  readonly fields?: readonly InputField[] | undefined;
  /** Tags of runs that are started without any. */
  readonly tags?: readonly string[] | undefined;
  /** The command that works on its runs. */
  readonly workCommand?: string | undefined;
}

/** A field for a property of an input. */
export interface InputField {
  /** The name of the property, of at most 200 characters. It may be any text. */
  readonly name: string;
  /**
   * - `text`: a text of one line; `lines`: a text of any lines.
   * - `number`, `integer`
   * - `choice`: one of `choices`.
   * - `json`: any JSON, for all other types.
   */
  readonly kind: 'text' | 'lines' | 'number' | 'integer' | 'choice' | 'json';
  /** The values of `choice`, 1 to 100. */
  readonly choices?: readonly (string | number | boolean | null)[] | undefined;
  readonly isRequired: boolean;
  /** The description of the property: 500 characters, and a note if it is longer. */
  readonly help?: string | undefined;
  /** The value of an absent property as JSON: 500 characters, and a note if it is longer. */
  readonly byDefault?: string | undefined;
}

/** A request to start a run. */
export interface StartRequest {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** The id of the new run. The same request with the same id starts one run, however often it is sent. */
  readonly runId: string;
  /** Any JSON. @default no input */
  readonly input?: unknown;
  /** Tags of the run, such as `team=search`. @default those of the pipeline */
  readonly tags?: readonly string[] | undefined;
  /** True to begin the run at once, without a worker, if the server can resume runs. @default false */
  readonly begin?: boolean | undefined;
}

/** A run that was started. */
export interface Started {
  readonly runId: string;
  /**
   * - `submitted`: the run is stored. A worker begins it.
   * - `begun`: a process works on the run, or has worked on it.
   * - `starting`: the server is beginning the run, but that takes long. `start` of the run tells the result.
   */
  readonly state: 'submitted' | 'begun' | 'starting';
  /** The reason why the server could not begin the run, if it was asked to. */
  readonly problem?: Refusal['error'] | undefined;
}
