/**
 * The records of a run, in words.
 *
 * @module
 */
import { type ReactNode, useEffect, useEffectEvent, useMemo } from 'react';
import type { RunRecord } from '../../../../src/model/event.ts';
import { inOneLine, startOf } from '../parts/foreign-text.ts';
import { useVirtualRows } from '../parts/virtual-rows.ts';
import { amount, counted, isoTime, timeText } from '../parts/words.ts';
import { go } from '../navigate.ts';
import { hashOf } from '../route.ts';
import { GapRow } from './gap-row.tsx';
import { issuesBefore } from './moments.ts';
import { isRecordWanted, typesOf } from './record-filter.ts';
import { wordsOf } from './record-words.ts';
import type { TabProps } from './tab.ts';
import { tickText } from './time-scale.ts';
import './list.css';

/** All there are, the latest first; each leads to the run as it was then. */
export function RecordsTab({ log, story, route }: TabProps): ReactNode {
  const { find, only, at } = route;
  const { records, count } = log;
  // The log is added to, so it is copied to be another one when there is more.
  const all = useMemo(() => records.slice(0, count), [records, count]);
  const types = useMemo(() => typesOf(all), [all]);
  const wanted = useMemo(
    () => all.filter((record) => isRecordWanted(record, { find, only })).toReversed(),
    [all, find, only],
  );
  const begin = records[0]?.time ?? 0;
  const { scroller, first, end, before, after, reveal } = useVirtualRows<HTMLElement>(wanted.length, ROW);
  const show = useEffectEvent((seq: number) => reveal(wanted.findIndex((record) => record.seq <= seq)));
  useEffect(() => {
    if (at !== null) show(at);
  }, [at]);
  return (
    <section aria-label="Records">
      <div className="view-bar">
        <label>
          Phase{' '}
          <input
            type="search"
            value={find}
            placeholder="any"
            onChange={({ target }) => go({ ...route, find: target.value }, 'replace')}
          />
        </label>
        <label>
          Type{' '}
          <select value={only} onChange={({ target }) => go({ ...route, only: target.value }, 'replace')}>
            <option value="">all ({amount(all.length)})</option>
            {types.map(([type, number]) => (
              <option key={type} value={type}>
                {type} ({amount(number)})
              </option>
            ))}
            {only === '' || types.some(([type]) => type === only) ? null : <option value={only}>{only} (0)</option>}
          </select>
        </label>
        <output className="count quiet">
          {wanted.length === all.length
            ? counted(all.length, 'record')
            : `${amount(wanted.length)} of ${counted(all.length, 'record')}`}
        </output>
      </div>
      <section className="phase-list records" ref={scroller} aria-label="Table of records">
        <table aria-rowcount={wanted.length + 1}>
          <colgroup>
            <col className="seq" />
            <col className="time" />
            <col className="phase" />
            <col />
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col" className="amount">
                Record
              </th>
              <th scope="col" className="amount">
                After
              </th>
              <th scope="col">Phase</th>
              <th scope="col">What it says</th>
            </tr>
          </thead>
          <tbody>
            <GapRow height={before} columns={4} />
            {wanted.slice(first, end).map((record, index) => (
              <Row
                key={record.seq}
                record={record}
                issues={issuesBefore(all, record)}
                index={first + index + 2}
                begin={begin}
                isCurrent={record.seq === at}
                isLater={record.seq > story.seq}
                route={route}
              />
            ))}
            <GapRow height={after} columns={4} />
          </tbody>
        </table>
      </section>
    </section>
  );
}

// --- internal ---

const ROW = 34;

interface RowProps extends Pick<TabProps, 'route'> {
  readonly record: RunRecord;
  /** What the issues say that it speaks of. */
  readonly issues: ReturnType<typeof issuesBefore>;
  readonly index: number;
  /** When the run began. */
  readonly begin: number;
  readonly isCurrent: boolean;
  /** Whether it came after what is looked at. */
  readonly isLater: boolean;
}

function Row({ record: { seq, time, event }, issues, index, begin, isCurrent, isLater, route }: RowProps): ReactNode {
  const words = inOneLine(wordsOf(event, issues));
  return (
    <tr aria-rowindex={index} aria-current={isCurrent ? 'true' : undefined} className={isLater ? 'later' : undefined}>
      <th scope="row" className="amount">
        <a href={hashOf({ ...route, at: seq })} title="See the run as it was then">
          {seq}
        </a>
      </th>
      <td className="amount">
        <time dateTime={isoTime(time)} title={timeText(time)}>
          {tickText(time - begin)}
        </time>
      </td>
      <td>
        {'phase' in event ? (
          <a href={hashOf({ ...route, phase: event.phase, attempt: seq })}>{startOf(event.phase, 60)}</a>
        ) : null}
      </td>
      <td title={`${event.type}\n${words}`}>{words}</td>
    </tr>
  );
}
