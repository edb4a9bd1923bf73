/** What a list is narrowed to: a button a condition, which says what it is set to. The page keeps it in its address. */
import { Popover } from '@base-ui/react/popover';
import { TriangleDownIcon, XIcon } from '@primer/octicons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useZone } from '../lib/clock.ts';
import { instant } from '../lib/format.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';

export interface Filter {
  /** In the address. */
  key: string;
  label: string;
  /** `choices`: one of them; `time`: an instant; else a text. */
  choices?: readonly { value: string; label: string }[];
  isTime?: boolean;
  placeholder?: string;
  hint?: string;
  /** How a value is shown, where that is not the value. */
  shown?: (value: string) => string;
  /** Set elsewhere: here it is only taken away. */
  isFixed?: boolean;
  /** Why it cannot be used. */
  because?: string | null;
}

interface FilterBarProps {
  filters: readonly Filter[];
  values: Readonly<Record<string, string | undefined>>;
  onChange: (key: string, value: string | undefined) => void;
  /** Before the filters: what is searched while somebody types. */
  before?: ReactNode;
  /** Behind the filters. */
  children?: ReactNode;
}

export function FilterBar({ filters, values, onChange, before, children }: FilterBarProps) {
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      {before}
      {filters.map((filter) => (
        <Condition
          key={filter.key}
          filter={filter}
          value={values[filter.key]}
          onChange={(value) => onChange(filter.key, value)}
        />
      ))}
      {children}
    </search>
  );
}

interface ConditionProps {
  filter: Filter;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const CHIP =
  'inline-flex min-h-8 items-center gap-1 rounded-md border px-2.5 py-1 text-sm whitespace-nowrap hover:bg-idle-bg pointer-coarse:min-h-11';

function Condition({ filter, value, onChange }: ConditionProps) {
  const [open, setOpen] = useState(false);
  const zone = useZone();
  const { label, because, shown, choices, isTime } = filter;
  const set = (next: string | undefined): void => {
    setOpen(false);
    onChange(next);
  };
  if (because != null) {
    return (
      <Button because={because} className="font-normal">
        {label}
      </Button>
    );
  }
  const named = (one: string): string => {
    if (shown) return shown(one);
    if (isTime) return Number.isNaN(Date.parse(one)) ? one : instant(new Date(one), zone, { millis: false });
    return choices?.find((choice) => choice.value === one)?.label ?? one;
  };
  return (
    <span className="inline-flex max-w-full">
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger
          disabled={filter.isFixed === true}
          className={`${CHIP} min-w-0 ${value === undefined ? 'border-edge' : 'rounded-r-none border-accent'}`}
        >
          <span className="truncate">
            {label}
            {value !== undefined && (
              <>
                : <span className="font-medium">{named(value)}</span>
              </>
            )}
          </span>
          {value === undefined && <TriangleDownIcon size={14} aria-hidden />}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner align="start" sideOffset={4} className="z-50">
            <Popover.Popup
              aria-label={label}
              className="max-w-[calc(100vw-2rem)] min-w-48 rounded-md border border-line bg-raised p-2 text-text shadow-raised"
            >
              {choices ? (
                <Choices choices={choices} value={value} onChange={set} />
              ) : (
                <Typed filter={filter} value={value} onChange={set} />
              )}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {value !== undefined && (
        <button
          type="button"
          onClick={() => set(undefined)}
          className={`${CHIP} rounded-l-none border-l-0 border-accent`}
        >
          <XIcon size={14} aria-hidden />
          <span className="sr-only">Without {label}</span>
        </button>
      )}
    </span>
  );
}

function Choices({
  choices,
  value,
  onChange,
}: Omit<ConditionProps, 'filter'> & { choices: readonly { value: string; label: string }[] }) {
  return (
    <ul>
      {choices.map((choice) => (
        <li key={choice.value}>
          <button
            type="button"
            aria-pressed={choice.value === value}
            onClick={() => onChange(choice.value)}
            className="flex w-full items-center rounded-md px-2 py-1.5 text-left hover:bg-idle-bg aria-pressed:font-medium"
          >
            <span aria-hidden className="w-5">
              {choice.value === value ? '✓' : ''}
            </span>
            {choice.label}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Typed({ filter: { label, hint, placeholder, isTime }, value, onChange }: ConditionProps) {
  const zone = useZone();
  const before = value === undefined ? '' : isTime ? typedTime(value, zone) : value;
  const [text, setText] = useState(before);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = text.trim();
    if (given === before) onChange(value);
    else onChange(given === '' ? undefined : isTime ? timeOf(given, zone) : given);
  };
  return (
    <form onSubmit={submit} className="w-72 max-w-full space-y-2">
      <Field
        label={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoFocus
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(isTime
          ? { type: 'datetime-local', step: 1, hint: zone === 'utc' ? 'UTC' : 'in your local time zone' }
          : hint === undefined
            ? {}
            : { hint })}
      />
      <Button type="submit" className="w-full">
        Apply
      </Button>
    </form>
  );
}

const typedTime = (value: string, zone: 'utc' | 'local'): string =>
  Number.isNaN(Date.parse(value))
    ? ''
    : instant(new Date(value), zone, { millis: false }).slice(0, 19).replace(' ', 'T');

/** Of what somebody typed into a field of an instant. */
export const timeOf = (given: string, zone: 'utc' | 'local'): string | undefined => {
  const at = new Date(zone === 'utc' ? `${given}Z` : given);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};
