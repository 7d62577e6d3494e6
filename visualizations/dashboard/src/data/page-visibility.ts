/**
 * Page visibility. A page is hidden in a background tab or a minimised window.
 *
 * @module
 */

/**
 * Runs one effect while the page is visible, and another while it is hidden.
 *
 * @param visible Starts the effect. @returns A function that ends it; the same for `hidden`.
 * @returns A function that ends both.
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
