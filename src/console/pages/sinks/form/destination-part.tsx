/** Where a sink delivers to, and whether that answers. */
import { Link } from '@tanstack/react-router';
import { Choice } from '../../../parts/field.tsx';
import { More } from '../../../parts/form/controls.tsx';
import { kindTitle } from '../kinds.ts';
import { DESTINATIONS } from './destinations.ts';
import { useSinkForm } from './sink-form.ts';
import { SpecKey } from './spec-key.tsx';

const FIRST: Record<string, object> = {
  elasticsearch: { auth_type: 'none' },
  pull: {},
  webhook: {},
};

const TYPES = [
  { value: 'elasticsearch', label: kindTitle('search_index') },
  { value: 'pull', label: kindTitle('pull') },
  { value: 'webhook', label: kindTitle('webhook') },
  { value: 'change_table', label: kindTitle('change_table') },
] as const;

export function DestinationPart() {
  const { entry, set, isStored } = useSinkForm();
  const { destination } = entry;
  const known = DESTINATIONS[destination.type];
  const type = (destination.type === 'sequin_stream' ? 'pull' : destination.type) as (typeof TYPES)[number]['value'];
  return (
    <div className="space-y-4">
      {!isStored && (
        <Choice
          label="Kind"
          value={type}
          options={TYPES}
          onChange={(next) => set('destination', { ...FIRST[next], type: next })}
        />
      )}
      {type === 'change_table' ? (
        <p>
          A change table keeps every change of one table in a table of yours: it is made as a{' '}
          <Link to={'/change-retentions' as string} className="text-accent underline">
            change retention
          </Link>
          .
        </p>
      ) : (
        known && <Keys key={type} fields={known.fields} />
      )}
    </div>
  );
}

function Keys({ fields }: { fields: (typeof DESTINATIONS)[string]['fields'] }) {
  const { entry } = useSinkForm();
  const shown = fields.filter(({ when }) => when?.(entry.destination) ?? true);
  const more = shown.filter(({ isMore }) => isMore);
  return (
    <div>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {shown
          .filter(({ isMore }) => !isMore)
          .map((spec) => (
            <SpecKey key={spec.key} spec={spec} />
          ))}
      </div>
      {more.length > 0 && (
        <More label="Limits and connection">
          {more.map((spec) => (
            <SpecKey key={spec.key} spec={spec} />
          ))}
        </More>
      )}
    </div>
  );
}
