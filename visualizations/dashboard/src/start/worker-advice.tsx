/**
 * The command that works on the runs of a pipeline.
 *
 * @module
 */
import type { ReactNode } from 'react';
import type { UiPipeline, UiRun } from '../../../../src/server/api.ts';
import { useAsked } from '../data/ask.ts';
import { useSession } from '../data/session.ts';
import { CommandLine } from '../parts/command-line.tsx';

/** Tells what begins a run if no worker does. */
export function WorkerAdvice({ pipeline }: { readonly pipeline: Pick<UiPipeline, 'workCommand'> }): ReactNode {
  return (
    <div className="worker-advice">
      <p className="quiet note">A worker begins the run. If none is running, start one:</p>
      <CommandLine line={pipeline.workCommand ?? 'createWorker(store, [pipeline])'} />
    </div>
  );
}

/** The advice for a run that was submitted and that no process has begun. Nothing for any other run. */
export function NotBegun({ run }: { readonly run: UiRun | undefined }): ReactNode {
  const { actions } = useSession();
  const isSubmitted = run !== undefined && run.seq === 1 && run.worker === null && run.start === undefined;
  const isShown = isSubmitted && run.status === 'running' && run.parent === undefined && actions.includes('start');
  return isShown ? <AdviceFor pipeline={run.pipeline} /> : null;
}

// --- internal ---

function AdviceFor({ pipeline }: { readonly pipeline: string }): ReactNode {
  const asked = useAsked<{ readonly pipelines: readonly UiPipeline[] }>('/api/pipelines');
  const known = 'value' in asked ? asked.value?.pipelines.find(({ name }) => name === pipeline) : undefined;
  return known ? <WorkerAdvice pipeline={known} /> : null;
}
