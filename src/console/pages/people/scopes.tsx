/** What a token or a person may do, chosen. */
import { Checkbox, Field } from '../../parts/field.tsx';

const SCOPES: readonly { scope: string; hint: string }[] = [
  { scope: 'admin', hint: 'Full access: creates and deletes everything, including users and tokens' },
  { scope: 'operate', hint: 'Pauses, retries, backfills and verifies; sees no rows' },
  { scope: 'read:data', hint: 'Sees rows, keys and the answers of destinations' },
  { scope: 'read', hint: 'Sees what is declared and its state' },
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
        <div className="mt-3">
          <Field
            label="Receives from"
            hint="Names of pull consumers, separated by commas"
            value={consumers}
            onChange={({ target }) => onChange({ ...value, consumers: target.value })}
          />
        </div>
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
