/**
 * The title and the icon of the browser tab. A page sets them once it knows the names and the state of what it shows.
 *
 * @module
 */
import { createContext, useContext, useEffect } from 'react';
import type { LookTone } from '../../../../src/projections/wording/status-marks.ts';

/** A title without the name of the app, and the tone of the icon. */
export interface PageMark {
  readonly title: string;
  readonly tone: LookTone;
}

/** The function that sets the mark of the page that is shown; `null` for the mark of its address. */
export const PageMarkContext = createContext<(mark: PageMark | null) => void>(() => undefined);

/** Sets the mark while a page is shown. @param title '' while it is unknown. */
export function usePageMark(title: string, tone: LookTone): void {
  const set = useContext(PageMarkContext);
  useEffect(() => {
    set(title === '' ? null : { title, tone });
  }, [set, title, tone]);
  useEffect(() => () => set(null), [set]);
}

/** Shows an icon in the browser tab. */
export function showIcon(tone: LookTone): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const href = tone === 'dim' ? '/icon.svg' : `/icon-${tone}.svg`;
  if (link && link.getAttribute('href') !== href) link.setAttribute('href', href);
}
