/** What a token or a person may do, chosen. */
import { Checkbox, Field } from '../../parts/field.tsx';

const SCOPES: readonly { scope: string; hint: string }[] = [
  { scope: 'admin', hint: 'everything: makes and deletes things, people and tokens' },
  { scope: 'operate', hint: 'pauses, retries, backfills, verifies; sees no rows' },
  { scope: 'read:data', hint: 'sees rows, keys and what destinations answered' },
  { scope: 'read', hint: 'sees what is declared and how it is' },
];

export interface Chosen {
  scopes: readonly string[];
  /** Names of consumers, as somebody types them. */
  consumers?: string;
}

/** `admin` has all the others in it; `consumers`: `consume:` scopes can be given too. */
export function ScopeFields({ value, onChange }: { value: Chosen; onChange: (next: Chosen) => void }) {
  const { scopes, consumers } = value;
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Scopes</legend>
      {SCOPES.map(({ scope, hint }) => (
        <Checkbox
          key={scope}
          label={<code className="font-mono text-sm">{scope}</code>}
          hint={hint}
          checked={scopes.includes(scope)}
          onChange={({ target }) =>
            onChange({
              ...value,
              scopes: target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope),
            })
          }
        />
      ))}
      {consumers !== undefined && (
        <Field
          label="Receives from"
          hint="names of pull consumers, with commas between them"
          value={consumers}
          onChange={({ target }) => onChange({ ...value, consumers: target.value })}
        />
      )}
    </fieldset>
  );
}

/** As the API takes them. */
export const scopesOf = ({ scopes, consumers = '' }: Chosen): string[] => [
  ...scopes,
  ...consumers
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => `consume:${name}`),
];

export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  return <span className="font-mono text-xs">{scopes.join(', ')}</span>;
}
