/** Ctrl K or `/`: finds whatever has a name, tables too, and messages by their id, and goes there. */
import { Dialog } from '@base-ui/react/dialog';
import { SearchIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useOverview } from '../api/overview.ts';
import { useAll } from '../api/queries.ts';
import { sentence } from '../lib/format.ts';
import { type MessageSearch, useMessageSearch } from './find-message.ts';
import { type FoundTable, useTableSearch } from './find-tables.ts';
import { useKeys } from './keys.tsx';
import { NAVIGATION, PERSONAL } from './navigation.ts';

interface Found {
  to: string;
  search?: Record<string, string>;
  name: string;
  kind: string;
}

const MOST = 30;

function useFound(text: string, isOpen: boolean): Found[] {
  const { data } = useOverview();
  const functions = useAll('/api/functions', { enabled: isOpen });
  const known: Found[] = [
    ...(data?.sinks ?? []).map(({ name }) => ({ to: `/sinks/${encodeURIComponent(name)}`, name, kind: 'sink' })),
    ...(data?.databases ?? []).map(({ name }) => ({
      to: `/databases/${encodeURIComponent(name)}`,
      name,
      kind: 'database',
    })),
    ...(data?.change_retentions ?? []).map(({ name }) => ({
      to: `/change-retentions/${encodeURIComponent(name)}`,
      name,
      kind: 'retention',
    })),
    ...(functions.data?.data ?? []).map(({ name }) => ({
      to: `/functions/${encodeURIComponent(name)}`,
      name,
      kind: 'function',
    })),
    ...[...NAVIGATION, ...PERSONAL].map(({ to, label }) => ({ to, name: label, kind: 'page' })),
  ];
  const wanted = text.trim().toLowerCase();
  const found = known.filter(({ name, kind }) => `${name} ${kind}`.toLowerCase().includes(wanted));
  return found.sort((one, other) => farOf(one, wanted) - farOf(other, wanted)).slice(0, MOST);
}

/** How far a name is from what is wanted: what is called just that comes first. */
function farOf({ name }: Found, wanted: string): number {
  const known = name.toLowerCase();
  return known === wanted ? 0 : known.startsWith(wanted) ? 1 : 2;
}

const foundTables = (tables: readonly FoundTable[]): Found[] =>
  tables.map(({ database, table }) => ({
    to: `/databases/${encodeURIComponent(database)}/tables`,
    search: { q: table },
    name: table,
    kind: `table of ${database}`,
  }));

const foundMessages = ({ id, owners }: MessageSearch): Found[] =>
  owners.map(({ list, name }) => ({
    to: `/${list}/${encodeURIComponent(name)}/messages/${id}`,
    name: id,
    kind: `message of ${name}`,
  }));

function nothing(message: MessageSearch | null): string {
  if (message === null) return 'Nothing has a name like that.';
  if (message.error !== null)
    return `Could not check for ${message.owners.length > 0 ? 'another one' : 'a message with this id'}. ${sentence(message.error.message)}`;
  if (message.isLooking) return 'Looking for a message with this id…';
  return 'No message with this id is waiting or has failed. It was delivered or discarded, or never existed.';
}

export function Find() {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const navigate = useNavigate();
  const message = useMessageSearch(text);
  const tables = useTableSearch(open ? text : '');
  const found = [...useFound(text, open), ...foundTables(tables), ...(message === null ? [] : foundMessages(message))];
  // What it returns is no way to undo it.
  useEffect(() => void document.getElementById(`found-${place}`)?.scrollIntoView({ block: 'nearest' }), [place]);
  const show = (next: boolean): void => {
    setOpen(next);
    setText('');
    setPlace(0);
  };
  useKeys({ '/': () => show(true) });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const go = (one: Found | undefined): void => {
    if (one === undefined) return;
    show(false);
    void navigate({ to: one.to, ...(one.search && { search: one.search }) });
  };
  return (
    <Dialog.Root open={open} onOpenChange={show}>
      <Dialog.Trigger className="inline-flex items-center gap-1.5 rounded-md border border-line px-2 py-1 text-sm text-muted hover:bg-idle-bg pointer-coarse:min-h-11">
        <SearchIcon size={14} aria-hidden />
        <span className="max-md:sr-only">Find</span>
        <kbd className="font-mono text-xs max-md:hidden">Ctrl K</kbd>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)]" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 rounded-md border border-line bg-raised p-2 text-text shadow-raised">
          <Dialog.Title className="sr-only">Find</Dialog.Title>
          <input
            // biome-ignore lint/a11y/noAutofocus: a dialog begins with its one field
            autoFocus
            role="combobox"
            aria-label="Name or message id"
            aria-expanded="true"
            aria-controls="found"
            aria-activedescendant={found[place] ? `found-${place}` : undefined}
            placeholder="Name or message id"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setPlace(0);
            }}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') setPlace(Math.min(place + 1, found.length - 1));
              else if (event.key === 'ArrowUp') setPlace(Math.max(place - 1, 0));
              else if (event.key === 'Enter') go(found[place]);
              else return;
              event.preventDefault();
            }}
            className="w-full rounded-md border border-edge bg-bg px-3 py-2"
          />
          <div id="found" role="listbox" aria-label="Found" className="mt-2 max-h-[50vh] overflow-y-auto">
            {found.map((one, at) => (
              <div
                key={`${one.kind} ${one.to} ${one.name}`}
                id={`found-${at}`}
                role="option"
                tabIndex={-1}
                aria-selected={at === place}
                onClick={() => go(one)}
                onKeyDown={() => undefined}
                className="flex cursor-pointer justify-between gap-4 rounded-md px-3 py-1.5 hover:bg-idle-bg aria-selected:bg-idle-bg"
              >
                <span className="truncate">{one.name}</span>
                <span className="shrink-0 text-sm text-muted">{one.kind}</span>
              </div>
            ))}
          </div>
          {(found.length === 0 || message?.error) && (
            <p role="status" className="px-3 py-2 text-muted">
              {nothing(message)}
            </p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
