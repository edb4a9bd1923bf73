/** Where a sink delivers to, and whether that answers. */
import { Link } from '@tanstack/react-router';
import { buttonLook } from '../../../parts/button.tsx';
import { Choice } from '../../../parts/field.tsx';
import { More } from '../../../parts/form/controls.tsx';
import { KINDS, kindOfType, newDestination } from '../kinds.ts';
import { DESTINATIONS } from './destinations.ts';
import { useSinkForm } from './sink-form.ts';
import { SpecKey } from './spec-key.tsx';

const TYPES = KINDS.map(({ types, title, sentence }) => ({
  value: types[0],
  label: <span className="font-medium">{title}</span>,
  hint: sentence,
}));

export function DestinationPart() {
  const { entry, set, isStored } = useSinkForm();
  const { destination } = entry;
  const known = DESTINATIONS[destination.type];
  const { types, isRetention } = kindOfType(destination.type);
  return (
    <div className="space-y-4">
      {!isStored && (
        <Choice
          label="Kind"
          isFramed
          value={types[0]}
          options={TYPES}
          onChange={(next) => set('destination', newDestination(kindOfType(next)))}
        />
      )}
      {isRetention ? (
        <div className="space-y-3">
          <p>A change table has a form of its own: it is declared as a change retention.</p>
          <Link
            to="/change-retentions/new"
            search={entry.database === '' ? {} : { database: entry.database }}
            className={buttonLook('primary')}
          >
            New change retention
          </Link>
        </div>
      ) : (
        known && <Keys key={types[0]} fields={known.fields} />
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
