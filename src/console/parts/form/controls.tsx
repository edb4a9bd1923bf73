/** Fields that stand for a key of an entry. */

import { ChevronRightIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { Faults } from '../faults.tsx';
import { Checkbox, Field, SecretField, Select, TextArea } from '../field.tsx';
import { useField } from './form.tsx';
import { figureOf, lines, pairs, pairsText } from './values.ts';

interface KeyProps {
  path: string;
  label: string;
  hint?: string | undefined;
  placeholder?: string | undefined;
}

/** What counts when it is left empty, and what else is to be known. */
const hinted = (fallback: unknown, hint: string | undefined): string | undefined =>
  [fallback !== undefined && `Default ${fallback}`, hint].filter(Boolean).join('. ') || undefined;

export function TextKey({ path, fallback, hint, ...around }: KeyProps & { fallback?: string }) {
  const { value, set, errors } = useField(path);
  return (
    <Field
      {...around}
      hint={hinted(fallback, hint)}
      errors={errors}
      value={String(value ?? '')}
      onChange={({ target }) => set(target.value)}
    />
  );
}

export function FigureKey({ path, fallback, hint, ...around }: KeyProps & { fallback?: unknown }) {
  const { value, set, errors } = useField(path);
  return (
    <Field
      {...around}
      hint={hinted(fallback, hint)}
      errors={errors}
      inputMode="numeric"
      className="tabular-nums"
      value={String(value ?? '')}
      onChange={({ target }) => set(figureOf(target.value))}
    />
  );
}

export function FlagKey({ path, label, hint, fallback = false }: KeyProps & { fallback?: boolean }) {
  const { value, set, errors } = useField(path);
  return (
    <div>
      <Checkbox
        label={label}
        hint={hint}
        checked={typeof value === 'boolean' ? value : fallback}
        onChange={({ target }) => set(target.checked)}
      />
      {errors && <Faults errors={errors} />}
    </div>
  );
}

export function WordKey({
  path,
  words,
  fallback,
  ...around
}: KeyProps & { words: readonly string[]; fallback?: unknown }) {
  const { value, set, errors } = useField(path);
  return (
    <Select
      {...around}
      errors={errors}
      value={String(value ?? fallback ?? words[0])}
      onChange={({ target }) => set(target.value)}
    >
      {words.map((word) => (
        <option key={word}>{word}</option>
      ))}
    </Select>
  );
}

export function SecretKey({ path, ...around }: KeyProps) {
  const { value, set, errors, isStored } = useField(path);
  return (
    <SecretField
      {...around}
      isStored={isStored}
      errors={errors}
      value={String(value ?? '')}
      onChange={({ target }) => set(target.value)}
    />
  );
}

interface TextKeyProps extends KeyProps {
  read: (text: string) => unknown;
  write: (value: unknown) => string;
}

/** Its text is kept as it is typed, and read each time. */
export function AreaKey({ path, read, write, hint, ...around }: TextKeyProps) {
  const { value, set, errors } = useField(path);
  const [text, setText] = useState(() => write(value));
  return (
    <TextArea
      {...around}
      hint={hint}
      rows={3}
      errors={errors}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        set(read(target.value));
      }}
    />
  );
}

export const LinesKey = (props: KeyProps) => (
  <AreaKey
    {...props}
    read={(text) => (lines(text).length === 0 ? null : lines(text))}
    write={(value) => (Array.isArray(value) ? value.join('\n') : '')}
  />
);

export const PairsKey = (props: KeyProps) => (
  <AreaKey
    {...props}
    read={(text) => (lines(text).length === 0 ? null : pairs(text))}
    write={(value) => pairsText((value ?? {}) as Record<string, string>)}
  />
);

interface MoreProps {
  children: React.ReactNode;
  label?: string;
  /** Something in it is not as it is by default. */
  isOpen?: boolean;
}

/** What few need. */
export function More({ children, label = 'More', isOpen = false }: MoreProps) {
  return (
    <details className="group mt-3" open={isOpen}>
      <summary className="inline-flex min-h-8 items-center text-sm font-medium text-accent select-none pointer-coarse:min-h-11">
        <ChevronRightIcon size={14} className="mr-1 group-open:rotate-90" aria-hidden />
        {label}
      </summary>
      <div className="mt-2 grid gap-x-6 gap-y-4 border-l-2 border-line pl-4 sm:grid-cols-2">{children}</div>
    </details>
  );
}
