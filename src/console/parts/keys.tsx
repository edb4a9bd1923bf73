/** Single keys: `?` lists them, and they can be switched off. None counts while somebody types. */
import { useEffect, useRef, useState } from 'react';
import { createStore, useStore } from '../lib/store.ts';
import { Dialog } from './dialog.tsx';
import { Checkbox } from './field.tsx';

const enabled = createStore(true, 'keys');

/** What each does, for the list. */
const HELP: readonly (readonly [string, string])[] = [
  ['Ctrl K or /', 'Find anything by name, or a message by its id'],
  ['p', 'Pause or resume refreshing'],
  ['r', 'Show newer messages'],
  ['?', 'Show this list'],
];

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** By the key's name: what it does while this component is there. */
export function useKeys(keys: Record<string, () => void>): void {
  const known = useRef(keys);
  known.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!enabled.get() || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const act = known.current[event.key];
      if (act === undefined || document.querySelector('[role=dialog], [role=alertdialog]') !== null) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

export function KeysHelp() {
  const [open, setOpen] = useState(false);
  const isOn = useStore(enabled);
  useKeys({ '?': () => setOpen(true) });
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={() => setOpen(false)}>
      <dl className="mb-3 grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
        {HELP.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-md border border-edge px-1.5 font-mono text-sm">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label="Enable single-key shortcuts"
        checked={isOn}
        onChange={(event) => enabled.set(event.target.checked)}
      />
    </Dialog>
  );
}
