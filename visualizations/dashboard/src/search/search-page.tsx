/**
 * The page that searches the records of runs.
 *
 * @module
 */
import { type ReactNode, type SubmitEvent, useEffect, useId, useState } from 'react';
import { foundAttempt, foundIn } from '../../../../src/projections/search/found-words.ts';
import type { SearchHit, SearchPart } from '../../../../src/runtime/records/search-runs.ts';
import { ask, refusedBy, type Refused } from '../data/ask.ts';
import { go } from '../navigate.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { RefusalNote } from '../parts/refusal-note.tsx';
import { inOneLine, startOf } from '../parts/untrusted-text.ts';
import { amount, counted, isoTime, timeText } from '../parts/words.ts';
import { hashOf, hashOfRun, type Route } from '../route.ts';
import './search.css';

type SearchRoute = Extract<Route, { readonly page: 'search' }>;

/** The form, and the places with the text. */
export function SearchPage({ route }: { readonly route: SearchRoute }): ReactNode {
  const { text, run } = route;
  return (
    <>
      <h1>{run === '' ? 'Search all runs' : 'Search a run'}</h1>
      <SearchForm key={text} route={route} />
      {run === '' ? null : (
        <p>
          In <a href={hashOfRun(run)}>{startOf(run, 60)}</a> only.{' '}
          <a href={hashOf({ ...route, run: '' })}>Search all runs</a>
        </p>
      )}
      {text === '' ? (
        <p className="quiet">
          It looks in inputs, tags, outputs, decisions with their feedback, questions, answers, reports and errors.
        </p>
      ) : (
        <Results key={`${run} ${text}`} route={route} />
      )}
    </>
  );
}

// --- internal ---

function SearchForm({ route }: { readonly route: SearchRoute }): ReactNode {
  const id = useId();
  const [text, setText] = useState(route.text);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    go({ ...route, text: text.trim() });
  };
  return (
    <search>
      <form className="search-form" onSubmit={onSubmit}>
        <label htmlFor={id}>Text, in any case</label>
        <input id={id} type="search" maxLength={200} value={text} onChange={({ target }) => setText(target.value)} />
        <button type="submit" disabled={text.trim() === ''}>
          Search
        </button>
      </form>
    </search>
  );
}

interface Progress {
  readonly hits: readonly SearchHit[];
  readonly records: number;
  readonly next: SearchPart['next'];
  readonly unreadable: readonly string[];
}

const NONE: Progress = { hits: [], records: 0, next: null, unreadable: [] };

/** Reads one part after the other until there are 50 places, and more on request. */
function Results({ route: { text, run } }: { readonly route: SearchRoute }): ReactNode {
  const [known, setKnown] = useState<Progress>(NONE);
  const [wanted, setWanted] = useState(PAGE);
  const [isOver, setIsOver] = useState(false);
  const [refusal, setRefusal] = useState<Refused | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    const read = async () => {
      let state = known;
      let isDone = false;
      try {
        while (!isDone && state.hits.length < wanted) {
          const part = await ask<SearchPart>(pathOf(text, run, state.next), leave.signal);
          if (leave.signal.aborted) return;
          state = joined(state, part);
          isDone = part.next === null;
          setKnown(state);
        }
        setIsOver(isDone);
      } catch (thrown) {
        if (!leave.signal.aborted) setRefusal(refusedBy(thrown));
      }
    };
    void read();
    return () => leave.abort();
    // oxlint-disable-next-line react/exhaustive-deps -- the search goes on from the state at the click
  }, [text, run, wanted]);
  const { hits, records, next, unreadable } = known;
  const isReading = !isOver && refusal === null && hits.length < wanted;
  return (
    <>
      {refusal ? <RefusalNote error={refusal} /> : null}
      <p className="quiet">
        <output>
          {counted(hits.length, 'place')} in {counted(records, 'record')}
          {isReading ? ', searching…' : next === null ? '' : ' so far'}
        </output>{' '}
        <CopyCommand words={['search', text, ...(run === '' ? [] : [run])]} name="Search" />
      </p>
      {unreadable.map((one) => (
        <p key={one} className="wrong">
          Run {startOf(one, 60)} has damaged records, and was searched in part.
        </p>
      ))}
      <ul className="hits" aria-label="Places">
        {hits.map((hit) => (
          <Hit key={`${hit.runId} ${hit.seq}`} hit={hit} />
        ))}
      </ul>
      {!isReading && next !== null ? (
        <button type="button" onClick={() => setWanted(hits.length + PAGE)}>
          Search for {amount(PAGE)} more
        </button>
      ) : null}
    </>
  );
}

function Hit({ hit }: { readonly hit: SearchHit }): ReactNode {
  const { runId, pipeline, seq, time, phase, before, match, after } = hit;
  const attempt = foundAttempt(hit);
  return (
    <li>
      <a href={hashOfRun(runId, { tab: 'records', at: seq, phase })}>
        {startOf(foundIn(hit), 120)}, record {amount(seq)}
      </a>
      {attempt === '' ? null : (
        <>
          {', '}
          <a href={hashOfRun(runId, { phase, attempt: seq })}>{startOf(attempt, 120)}</a>
        </>
      )}{' '}
      <span className="quiet">
        {startOf(pipeline, 60)} {startOf(runId, 60)} <time dateTime={isoTime(time)}>{timeText(time)}</time>
      </span>
      <p>
        {inside(before)}
        <mark>{inside(match)}</mark>
        {inside(after)}
      </p>
    </li>
  );
}

/** Makes one line of a part of a text. `inOneLine` alone would drop the spaces between the parts. */
function inside(part: string): string {
  return inOneLine(`|${part}|`).slice(1, -1);
}

/** Places that are read at first, and that each click adds. */
const PAGE = 50;

function pathOf(text: string, run: string, next: SearchPart['next']): string {
  const query = new URLSearchParams({
    text,
    ...(run !== '' && { run }),
    ...(next && { afterRun: next.runId, afterSeq: String(next.seq) }),
  });
  return `/api/search?${query.toString()}`;
}

function joined(known: Progress, part: SearchPart): Progress {
  return {
    hits: [...known.hits, ...part.hits],
    records: known.records + part.records,
    next: part.next,
    unreadable: [...new Set([...known.unreadable, ...part.unreadable])],
  };
}
