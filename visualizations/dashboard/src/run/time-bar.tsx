/**
 * Time travel: a slider over the records of a run.
 *
 * @module
 */
import { type ReactNode, useCallback, useEffect, useEffectEvent, useState } from 'react';
import type { RunRecord } from '../../../../src/model/events/event.ts';
import type { Plan } from '../../../../src/model/plan/plan.ts';
import type { RecordLog } from '../data/records.ts';
import { isoTime, timeText } from '../parts/words.ts';
import { startOf } from '../parts/untrusted-text.ts';
import { decisionFrom, playedFrom, STEP_MS } from './moments.ts';
import { knownBefore, wordsOf } from './records/record-words.ts';

interface TimeBarProps {
  readonly log: RecordLog;
  readonly plan: Plan | undefined;
  /** The selected record; `null` to follow the latest. */
  readonly at: number | null;
  readonly look: (at: number | null) => void;
}

/** The slider, the buttons, and the words of the record. */
export function TimeBar({ log, plan, at, look }: TimeBarProps): ReactNode {
  const { count, records } = log;
  const seq = Math.min(at ?? count, count);
  const record = records[seq - 1];
  const goTo = useCallback((next: number | null) => look(next !== null && next >= count ? null : next), [look, count]);
  const [isPlaying, setIsPlaying] = usePlaying({ seq, count, look: goTo });
  const [before, after] = ([-1, 1] as const).map((step) => decisionFrom(records, seq, { step, count }));
  const stepTo = (next: number | null | undefined) => {
    setIsPlaying(false);
    if (next) goTo(next);
  };
  useKeys((key) => stepTo(key === '[' ? before : after));
  const words = record ? recordLine(records, record, plan) : 'No record yet';
  return (
    <section className="time-bar" aria-label="Time travel">
      <div className="controls">
        <button type="button" onClick={() => setIsPlaying(!isPlaying)} disabled={count === 0}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" title="Previous decision: [" onClick={() => stepTo(before)} disabled={!before}>
          <span aria-hidden="true">⟨</span> Decision<span className="unseen"> before</span>
        </button>
        <input
          type="range"
          aria-label="Record"
          aria-valuetext={`record ${seq} of ${count}: ${words}`}
          min={1}
          max={Math.max(1, count)}
          value={Math.max(1, seq)}
          disabled={count === 0}
          onChange={({ target }) => stepTo(Number(target.value))}
        />
        <button type="button" title="Next decision: ]" onClick={() => stepTo(after)} disabled={!after}>
          Decision<span className="unseen"> after</span> <span aria-hidden="true">⟩</span>
        </button>
        <button
          type="button"
          className="live"
          aria-pressed={at === null}
          onClick={() => {
            setIsPlaying(false);
            look(null);
          }}
        >
          Live
        </button>
      </div>
      <p className="said">
        <span className="number">
          {seq} of {count}
        </span>
        {record ? (
          <time className="quiet" dateTime={isoTime(record.time)}>
            {timeText(record.time)}
          </time>
        ) : null}
        <span className="words">{words}</span>
      </p>
    </section>
  );
}

// --- internal ---

function recordLine(records: RecordLog['records'], record: RunRecord, plan: Plan | undefined): string {
  const { event } = record;
  const words = wordsOf(record, knownBefore(records, record, plan));
  return startOf('phase' in event ? `${event.phase}: ${words}` : words, 400);
}

interface Playing {
  readonly seq: number;
  readonly count: number;
  readonly look: (at: number | null) => void;
}

/** Playback. It starts from the first record if the last one is selected. */
function usePlaying({ seq, count, look }: Playing): readonly [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setIsPlaying] = useState(false);
  const step = useEffectEvent(() => {
    const next = playedFrom(seq, count);
    look(next);
    if (next >= count) setIsPlaying(false);
  });
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(step, STEP_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const play = (wanted: boolean) => {
    if (wanted && seq >= count) look(1);
    setIsPlaying(wanted);
  };
  return [isPlaying, play];
}

/** Handles the keys for decisions, unless the user types in a field. */
function useKeys(onKey: (key: '[' | ']') => void): void {
  const act = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, ctrlKey, metaKey } = event;
    if ((key !== '[' && key !== ']') || ctrlKey || metaKey || isWriting(target)) return;
    event.preventDefault();
    onKey(key);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => act(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'range' && target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
