/**
 * The records of a run, in words.
 *
 * @module
 */
import { type ReactNode, useEffect, useEffectEvent, useMemo } from 'react';
import type { RunRecord } from '../../../../../src/model/events/event.ts';
import { startOf } from '../../parts/untrusted-text.ts';
import { FindField, FoundCount, KindField } from '../../parts/view-bar.tsx';
import { useVirtualRows } from '../../parts/virtual-rows.ts';
import { isoTime, timeText } from '../../parts/words.ts';
import { go } from '../../navigate.ts';
import { hashOf } from '../../route.ts';
import { GapRow } from '../gap-row.tsx';
import { isRecordWanted, typesOf } from './record-filter.ts';
import { knownBefore, wordsOf } from './record-words.ts';
import type { TabProps } from '../tab.ts';
import { tickText } from '../timeline/time-scale.ts';
import '../list.css';

/** All records, the latest first. Each links to the run as of that record. */
export function RecordsTab({ log, moment, route }: TabProps): ReactNode {
  const { find, only, at } = route;
  const { records, count } = log;
  // The log array is extended in place. A copy makes React notice new records.
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
        <FindField label="Phase" value={find} onChange={(name) => go({ ...route, find: name }, 'replace')} />
        <KindField
          label="Type"
          value={only}
          kinds={types}
          all={all.length}
          onChange={(type) => go({ ...route, only: type }, 'replace')}
        />
        <FoundCount found={wanted.length} all={all.length} noun="record" />
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
              <th scope="col">Event</th>
            </tr>
          </thead>
          <tbody>
            <GapRow height={before} columns={4} />
            {wanted.slice(first, end).map((record, index) => (
              <Row
                key={record.seq}
                record={record}
                words={wordsOf(record, knownBefore(all, record, moment.plan))}
                index={first + index + 2}
                begin={begin}
                isCurrent={record.seq === at}
                isLater={record.seq > moment.seq}
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
  readonly words: string;
  readonly index: number;
  /** The start of the run. */
  readonly begin: number;
  readonly isCurrent: boolean;
  /** True if it is later than the selected record. */
  readonly isLater: boolean;
}

function Row({ record: { seq, time, event }, words, index, begin, isCurrent, isLater, route }: RowProps): ReactNode {
  return (
    <tr aria-rowindex={index} aria-current={isCurrent ? 'true' : undefined} className={isLater ? 'later' : undefined}>
      <th scope="row" className="amount">
        <a href={hashOf({ ...route, at: seq })} title="Show the run as of this record">
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
