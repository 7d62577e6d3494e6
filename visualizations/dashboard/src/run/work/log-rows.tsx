/**
 * The rows of a long log: only those in view are in the page. It is loaded with the first long log.
 *
 * @module
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useLayoutEffect } from 'react';
import type { LogLines } from '../phase/log-lines.ts';
import { LogRow } from './log-row.tsx';

interface LogRowsProps {
  readonly log: LogLines;
  readonly scroller: RefObject<HTMLElement | null>;
  /** True to keep the last row in view. */
  readonly isFollowing: boolean;
}

/** The rows, each as high as its text. */
export function LogRows({ log: { all, count }, scroller, isFollowing }: LogRowsProps): ReactNode {
  // oxlint-disable-next-line react/incompatible-library -- its functions are used here only, and nothing memoizes them
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => all[index]?.seq ?? index,
    overscan: OVERSCAN,
  });
  const height = rows.getTotalSize();
  useLayoutEffect(() => {
    // The height changes once rows have been measured, also those at the end.
    if (isFollowing && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [height, count, isFollowing, scroller]);
  return (
    <div className="log-rows" style={{ height }}>
      {rows.getVirtualItems().map(({ key, index, start }) => {
        const line = all[index];
        return line ? (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="log-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            <LogRow line={line} />
          </div>
        ) : null;
      })}
    </div>
  );
}

// --- internal ---

/** Pixels of a row before it has been measured. */
const ROW = 22;
const OVERSCAN = 10;
