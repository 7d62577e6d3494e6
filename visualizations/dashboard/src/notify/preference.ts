/**
 * The choice to be notified, which the browser keeps. It is off by default.
 *
 * @module
 */
import { useSyncExternalStore } from 'react';

/** The state of notifications: `unavailable` if the browser has none, `denied` if the user has refused them there. */
export type NotifyState = 'unavailable' | 'denied' | 'off' | 'on';

/** Reads the state, and reads it again after every change in any tab. */
export function useNotifyState(): NotifyState {
  return useSyncExternalStore(listen, readState);
}

/** Turns notifications on. It asks the browser for the permission if the user has not decided yet. Call it on a click. @returns False if they stay off. */
export async function turnOn(): Promise<boolean> {
  if (Notification.permission === 'default') await Notification.requestPermission();
  const isGranted = Notification.permission === 'granted';
  keep(isGranted);
  return isGranted;
}

/** Turns notifications off. */
export function turnOff(): void {
  keep(false);
}

// --- internal ---

const KEY = 'phasegate notifications';
const CHANGED = 'phasegate-notifications';

/** The choice while the page is open, if the storage is full or missing. */
let isOn = false;

function readState(): NotifyState {
  if (typeof Notification === 'undefined') return 'unavailable';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && kept() ? 'on' : 'off';
}

function kept(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on';
  } catch {
    return isOn;
  }
}

function keep(next: boolean): void {
  isOn = next;
  try {
    if (next) localStorage.setItem(KEY, 'on');
    else localStorage.removeItem(KEY);
  } catch {
    // It holds while the page is open.
  }
  dispatchEvent(new Event(CHANGED));
}

function listen(onChange: () => void): () => void {
  addEventListener('storage', onChange);
  addEventListener(CHANGED, onChange);
  // The user may change the permission in the settings of the browser.
  document.addEventListener('visibilitychange', onChange);
  return () => {
    removeEventListener('storage', onChange);
    removeEventListener(CHANGED, onChange);
    document.removeEventListener('visibilitychange', onChange);
  };
}
