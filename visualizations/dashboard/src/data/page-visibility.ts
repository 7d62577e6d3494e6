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
export function byPageVisibility(visible: () => () => void, hidden: () => () => void): () => void {
  let wasVisible = isVisible();
  let end = wasVisible ? visible() : hidden();
  const look = () => {
    if (isVisible() === wasVisible) return;
    wasVisible = isVisible();
    end();
    end = wasVisible ? visible() : hidden();
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    end();
  };
}

// --- internal ---

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}
