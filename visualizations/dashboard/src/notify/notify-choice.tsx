/**
 * The button that turns notifications on and off.
 *
 * @module
 */
import { type ReactNode, useState } from 'react';
import { focusMain } from '../page-focus.ts';
import { NewItems } from './new-items.tsx';
import { turnOff, turnOn, useNotifyState } from './preference.ts';

/** The button. It is absent if the browser has no notifications, or the user has denied them. */
export function NotifyChoice(): ReactNode {
  const state = useNotifyState();
  const [isAsked, setIsAsked] = useState(false);
  if (state === 'denied' && isAsked) return <output className="quiet">Notifications are blocked</output>;
  if (state === 'unavailable' || state === 'denied') return null;
  const askFor = async () => {
    setIsAsked(true);
    // The button is gone after a refusal.
    if (!(await turnOn())) focusMain();
  };
  const isOn = state === 'on';
  return (
    <>
      <button
        type="button"
        className="link"
        aria-pressed={isOn}
        title="Notifies you when a run begins to wait for a person"
        onClick={() => (isOn ? turnOff() : void askFor())}
      >
        {isOn ? 'Notifying' : 'Notify me'}
      </button>
      {isOn ? <NewItems /> : null}
    </>
  );
}
