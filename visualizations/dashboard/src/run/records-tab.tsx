/**
 * The records of a run, in words.
 *
 * @module
 */
import { type ReactNode, useMemo } from 'react';
import type { RunRecord } from '../../../../src/model/event.ts';
import { inOneLine, startOf } from '../parts/foreign-text.ts';
import { useVirtualRows } from '../parts/virtual-rows.ts';
import { amount, counted, isoTime, timeText } from '../parts/words.ts';
import { go, hashOf } from '../route.ts';
import { GapRow } from './gap-row.tsx';
import { isRecordWanted, typesOf } from './record-filter.ts';
import { wordsOf } from './record-words.ts';
import type { TabProps } from './tab.ts';
import { tickText } from './time-scale.ts';

/** The latest first; each leads to the run as it was then. */
export function RecordsTab({ log, story, route }: TabProps): ReactNode {
  const { find, only, at } = route;
  const { records } = log;
  const past = useMemo(() => records.slice(0, story.seq), [records, story.seq]);
  const types = useMemo(() => typesOf(past), [past]);
  const wanted = useMemo(
    () => past.filter((record) => isRecordWanted(record, { find, only })).toReversed(),
    [past, find, only],
  );
  const begin = records[0]?.time ?? 0;
  const { scroller, first, end, before, after } = useVirtualRows<HTMLElement>(wanted.length, ROW);
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
            <option value="">all ({amount(past.length)})</option>
            {types.map(([type, count]) => (
              <option key={type} value={type}>
                {type} ({amount(count)})
              </option>
            ))}
            {only === '' || types.some(([type]) => type === only) ? null : <option value={only}>{only} (0)</option>}
          </select>
        </label>
        <output className="count quiet">
          {wanted.length === past.length
            ? counted(past.length, 'record')
            : `${amount(wanted.length)} of ${counted(past.length, 'record')}`}
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
                index={first + index + 2}
                begin={begin}
                isCurrent={record.seq === at}
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

const ROW = 35;

interface RowProps extends Pick<TabProps, 'route'> {
  readonly record: RunRecord;
  readonly index: number;
  /** When the run began. */
  readonly begin: number;
  readonly isCurrent: boolean;
}

function Row({ record: { seq, time, event }, index, begin, isCurrent, route }: RowProps): ReactNode {
  const words = inOneLine(wordsOf(event));
  return (
    <tr aria-rowindex={index} aria-current={isCurrent ? 'true' : undefined}>
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
