/**
 * Whether the page can be seen: not in a tab behind another, nor in a window that is put away.
 *
 * @module
 */

/**
 * Does one thing while the page can be seen, and another while it cannot.
 *
 * @param seen Begins it. @returns Ends it; the same for `unseen`.
 * @returns Ends both.
 */
export function bySight(seen: () => () => void, unseen: () => () => void): () => void {
  let wasSeen = isSeen();
  let end = wasSeen ? seen() : unseen();
  const look = () => {
    if (isSeen() === wasSeen) return;
    wasSeen = isSeen();
    end();
    end = wasSeen ? seen() : unseen();
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    end();
  };
}

// --- internal ---

function isSeen(): boolean {
  return document.visibilityState === 'visible';
}
