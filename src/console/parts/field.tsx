/** Fields of forms: label, hint and error belong together for everybody who cannot see that. */
import { SearchIcon } from '@primer/octicons-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { Faults } from './faults.tsx';

const CONTROL =
  'block w-full min-h-8 rounded-md border border-edge bg-raised px-2 py-1 text-base text-text placeholder:text-muted pointer-coarse:min-h-11 aria-invalid:border-danger';

interface Around {
  label: ReactNode;
  hint?: ReactNode;
  /** Sentences of the API about this field. */
  errors?: readonly string[] | undefined;
}

function Framed({
  label,
  hint,
  errors,
  children,
}: Around & { children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode }) {
  const id = useId();
  const isWrong = errors !== undefined && errors.length > 0;
  const described = [hint !== undefined && `${id}-hint`, isWrong && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-0.5 block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(isWrong ? { 'aria-invalid': true } : {}),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-0.5 text-sm text-muted">
          {hint}
        </p>
      )}
      {isWrong && <Faults id={`${id}-error`} errors={errors} />}
    </div>
  );
}

type InputProps = Around & Omit<ComponentProps<'input'>, 'id'>;

export function Field({ label, hint, errors, className = '', ...rest }: InputProps) {
  return (
    <Framed {...{ label, hint, errors }}>
      {(ids) => <input autoComplete="off" {...rest} {...ids} className={`${CONTROL} ${className}`} />}
    </Framed>
  );
}

/** Narrows a list while somebody types. Its label stands in it. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <span className="relative block w-64 max-sm:w-full">
      <SearchIcon
        size={14}
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-muted"
      />
      <input
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className={`${CONTROL} pl-8`}
      />
    </span>
  );
}

/** Write-only: what is stored stays as it is while this is left alone. */
export function SecretField({ isStored, hint, ...rest }: InputProps & { isStored: boolean }) {
  return (
    <Field
      {...rest}
      type="password"
      autoComplete="new-password"
      placeholder={isStored ? 'stored; leave empty to keep it' : undefined}
      hint={hint}
    />
  );
}

export function TextArea({
  label,
  hint,
  errors,
  className = '',
  ...rest
}: Around & Omit<ComponentProps<'textarea'>, 'id'>) {
  return (
    <Framed {...{ label, hint, errors }}>
      {(ids) => (
        <textarea spellCheck={false} {...rest} {...ids} className={`${CONTROL} font-mono text-sm ${className}`} />
      )}
    </Framed>
  );
}

export function Select({ label, hint, errors, children, ...rest }: Around & Omit<ComponentProps<'select'>, 'id'>) {
  return (
    <Framed {...{ label, hint, errors }}>
      {(ids) => (
        <select {...rest} {...ids} className={CONTROL}>
          {children}
        </select>
      )}
    </Framed>
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: { label: ReactNode; hint?: ReactNode } & Omit<ComponentProps<'input'>, 'id' | 'type'>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2 py-1">
      <input
        {...rest}
        type="checkbox"
        id={id}
        className="mt-1 size-4 shrink-0 accent-accent"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

export interface Option<Value extends string> {
  value: Value;
  label: ReactNode;
  hint?: ReactNode;
}

interface ChoiceProps<Value extends string> {
  label: ReactNode;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  /** Each in a frame: what everything else on the page depends on. */
  isFramed?: boolean;
}

const FRAMED =
  'rounded-md border border-line bg-raised px-3 py-2 hover:bg-surface has-checked:border-accent has-checked:bg-surface';

/** One of a few. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
  isFramed = false,
}: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      {/* With a line below each they are in columns, or none would stand below another. */}
      <div
        className={
          options.some(({ hint }) => hint !== undefined)
            ? `grid md:grid-cols-2 ${isFramed ? 'gap-3' : 'gap-x-6 gap-y-1'}`
            : 'flex flex-wrap gap-x-6 gap-y-1'
        }
      >
        {options.map((option) => (
          <label key={option.value} className={`flex items-start gap-2 ${isFramed ? FRAMED : 'py-0.5'}`}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span>
              {option.label}
              {option.hint !== undefined && <span className="block text-sm text-muted">{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
