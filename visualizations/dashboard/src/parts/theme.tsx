/**
 * The choice of light or dark colours, which the browser keeps.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';

/** A select field. By default the colours are those of the system. */
export function ThemeChoice(): ReactNode {
  const [theme, setTheme] = useState<Theme>(keptTheme);
  return (
    <label className="theme">
      <span className="unseen">Colours</span>{' '}
      <select
        value={theme}
        onChange={({ target }) => {
          const next = THEMES.find((one) => one === target.value) ?? 'system';
          setTheme(next);
          keepTheme(next);
          applyTheme(next);
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Applies the kept choice to the page. */
export function applyKeptTheme(): void {
  applyTheme(keptTheme());
}

// --- internal ---

const THEMES = ['system', 'light', 'dark'] as const;

type Theme = (typeof THEMES)[number];

const WORDS: Readonly<Record<Theme, string>> = { system: 'System colours', light: 'Light', dark: 'Dark' };

const KEY = 'phasegate theme';

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function keptTheme(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    return 'system';
  }
}

/** If the storage is full or missing, the choice lasts while the page is open. */
function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It stays applied.
  }
}
