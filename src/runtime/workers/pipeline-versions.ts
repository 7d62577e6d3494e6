/**
 * The pipelines of a worker. Several of one name are versions of it, and each run is continued with the version that it was started with.
 *
 * @module
 */
import type { Pipeline } from '../../model/definition/define.ts';
import { PhasegateError } from '../../model/errors/phasegate-error.ts';
import { fingerprint } from '../../model/plan/plan.ts';
import type { ListedRun } from '../../store/port.ts';

type AnyPipeline = Pipeline<unknown, never> | Pipeline<unknown>;

/** Pipelines by name, and the fingerprints of runs that none of them continues. */
export class PipelineVersions {
  readonly #byName = new Map<string, readonly AnyPipeline[]>();
  readonly #own = new Set<string>();
  readonly #unknown = new Set<string>();

  /** @throws PhasegateError `INPUT_INVALID` if two of them cannot be told apart. */
  constructor(pipelines: readonly AnyPipeline[]) {
    for (const pipeline of new Set(pipelines)) {
      const version = fingerprint(pipeline.plan);
      if (this.#own.has(version)) throw sameTwice(pipeline.name);
      this.#own.add(version);
      this.#byName.set(pipeline.name, [...(this.#byName.get(pipeline.name) ?? []), pipeline]);
    }
  }

  /** Names of the pipelines. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Names and fingerprints of the pipelines. */
  get all(): readonly Pick<ListedRun, 'pipeline' | 'fingerprint'>[] {
    return [...this.#byName.values()]
      .flat()
      .map(({ name, plan }) => ({ pipeline: name, fingerprint: fingerprint(plan) }));
  }

  /** Fingerprints of versions that were found in the store, and that no pipeline continues. */
  get unknown(): readonly string[] {
    return [...this.#unknown];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Pipelines to try for a run. The first has its fingerprint, unless the run has limits of its own. */
  forRun(run: ListedRun): readonly AnyPipeline[] {
    const all = this.#byName.get(run.pipeline) ?? [];
    const isSame = ({ plan }: AnyPipeline) => fingerprint(plan) === run.fingerprint;
    return [...all.filter(isSame), ...all.filter((one) => !isSame(one))];
  }

  /** Remembers that the definition of a run agrees with none of them. The same holds for all runs with its fingerprint. */
  leave({ fingerprint: version }: ListedRun): void {
    if (!this.#own.has(version) && this.#unknown.size < MOST_UNKNOWN) this.#unknown.add(version);
  }
}

// --- internal ---

/** Each look for runs sends them to the store. A run of a further version is tried once, and passed over. */
const MOST_UNKNOWN = 1000;

function sameTwice(name: string): PhasegateError {
  const problem = `Cannot start a worker as two of its pipelines named "${name}" have the same definition`;
  return new PhasegateError('INPUT_INVALID', problem, {
    hint: 'A run is matched by the name and the definition of its pipeline: give one of them another name, or another `version`.',
  });
}
