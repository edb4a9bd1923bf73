/** How a database is captured, what it is called, and what few need to change of it. */
import type { ApiError } from '../../api/client.ts';
import { Checkbox, Field, Select, TextArea } from '../../parts/field.tsx';
import { More } from '../../parts/form/controls.tsx';
import { Section } from '../../parts/page.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import type { Edited } from './edited.ts';
import { TRIGGERS } from './slot-fields.tsx';

interface MoreProps {
  saved: Edited;
  draft: Edited;
  change: (part: Partial<Edited>) => void;
  error: ApiError | null;
}

/** As an input of the form has it. `name`: as the API calls it. */
const bound =
  ({ draft, change, error }: Pick<MoreProps, 'draft' | 'change' | 'error'>) =>
  (key: keyof Edited, name: string) => ({
    value: String(draft[key]),
    onChange: ({ target }: { target: { value: string } }) => change({ [key]: target.value }),
    errors: fieldErrors(error, name),
  });

export function MoreFields(props: MoreProps) {
  const { saved, draft } = props;
  const field = bound(props);
  return (
    <Section title="Capture">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Read changes from"
          {...field('capture', 'capture')}
          hint={draft.capture === 'triggers' ? TRIGGERS : undefined}
        >
          <option value="replication">A replication slot</option>
          <option value="triggers">Triggers on the tables</option>
        </Select>
        {draft.capture === 'triggers' ? (
          <Select label="If a change cannot be noted" {...field('trigger_errors', 'trigger_errors')}>
            <option value="fail">The statement fails</option>
            <option value="skip">The change is missed, with a notice</option>
          </Select>
        ) : (
          <Field
            label="Slot"
            hint={saved.capture === 'replication' ? 'Changing it leaves a gap, which needs a resync' : undefined}
            {...field('slot', 'slot.name')}
            required
          />
        )}
        <Field label="Publication" {...field('publication', 'publication.name')} required />
        <Field label="Name" hint="Used in addresses, metrics and messages" {...field('name', 'name')} required />
      </div>
      <Advanced {...props} />
    </Section>
  );
}

/** Whether one of these errors is of a field in there, or something in there is not as it is by default. */
function isWorthShowing({ saved, error }: MoreProps): boolean {
  const isSet = saved.channel_binding || saved.init_sql !== '' || saved.annotations !== '';
  const names = Object.keys(error?.fields ?? {});
  return isSet || names.some((name) => /^(?:pool_size|max_row_bytes|annotations|publication\.init_sql)/.test(name));
}

const isEncrypted = ({ ssl }: Edited): boolean => ssl !== 'prefer' && ssl !== 'false';

function Advanced(props: MoreProps) {
  const { draft, change } = props;
  const field = bound(props);
  return (
    <More label="Advanced" isOpen={isWorthShowing(props)}>
      <Field
        label="Connections"
        inputMode="numeric"
        hint="Per process, 1 to 100"
        {...field('pool_size', 'pool_size')}
      />
      <Field
        label="Largest row (bytes)"
        inputMode="numeric"
        hint="A larger row is parked"
        {...field('max_row_bytes', 'max_row_bytes')}
      />
      <Select label="Text that is not valid UTF-8" {...field('invalid_utf8', 'invalid_utf8')}>
        <option value="replace">Replace invalid bytes with U+FFFD</option>
        <option value="park">Park the message</option>
      </Select>
      <TextArea
        label="Annotations"
        rows={3}
        hint="One per line, such as team: shop. Messages carry them"
        {...field('annotations', 'annotations')}
      />
      <div>
        {draft.capture === 'replication' && (
          <Checkbox
            label="Create the slot if it does not exist"
            checked={draft.creates_slot}
            onChange={({ target }) => change({ creates_slot: target.checked })}
          />
        )}
        <Checkbox
          label={`Create the publication${draft.capture === 'triggers' ? ' and triggers' : ''} if it does not exist`}
          checked={draft.creates_publication}
          onChange={({ target }) => change({ creates_publication: target.checked })}
        />
      </div>
      <TextArea
        label="Statement that creates the publication"
        rows={3}
        hint="create publication …; leave empty to publish the tables of schema public"
        {...field('init_sql', 'publication.init_sql')}
      />
      <Checkbox
        label="Require channel binding"
        hint={
          isEncrypted(draft)
            ? 'The login then proves that nobody is in between'
            : 'Only where TLS is required: see TLS above'
        }
        disabled={!isEncrypted(draft)}
        checked={draft.channel_binding}
        onChange={({ target }) => change({ channel_binding: target.checked })}
      />
    </More>
  );
}
