/**
 * One tab for each question: the first that claims it.
 *
 * @module
 */

/**
 * Claims a question for this tab. It counts for all tabs of the browser, and for pages that are opened later.
 *
 * @returns False if another tab was faster.
 */
export function claim(question: string): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(claimAlone(question));
  return navigator.locks.request(KEY, () => claimAlone(question));
}

// --- internal ---

const KEY = 'phasegate notified';

/** The most questions that are kept. */
const MOST = 200;

function claimAlone(question: string): boolean {
  try {
    const claimed = listOf(localStorage.getItem(KEY));
    if (claimed.includes(question)) return false;
    localStorage.setItem(KEY, JSON.stringify([...claimed, question].slice(-MOST)));
  } catch {
    // Without a storage the tag of the notification has to do.
  }
  return true;
}

function listOf(text: string | null): readonly string[] {
  const list: unknown = JSON.parse(text ?? '[]');
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
