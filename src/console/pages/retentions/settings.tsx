/** Every setting of a change retention. */
import { useNavigate } from '@tanstack/react-router';
import { TextKey } from '../../parts/form/controls.tsx';
import { Part } from '../../parts/form/part.tsx';
import { Settings } from '../../parts/form/settings.tsx';
import { entryOf } from './form/entry.ts';
import { PolicyPart } from './form/policy-part.tsx';
import { SourceKeys } from './form/source-part.tsx';
import { MakingPart, TableKeys } from './form/table-part.tsx';
import { YAML_NOTE } from './form/texts.tsx';
import { useRetention } from './use-retention.ts';

export function RetentionSettings() {
  const stored = useRetention();
  const navigate = useNavigate();
  return (
    <Settings
      stored={stored}
      entry={entryOf(stored)}
      effect="Capture is not interrupted. Pending entries are written with the new settings; existing entries stay as they are."
      yamlNote={YAML_NOTE}
      onRenamed={(retention) =>
        navigate({ to: '/change-retentions/$retention/settings', params: { retention }, replace: true })
      }
    >
      {(entry, body) => (
        <>
          <Part title="Source">
            <SourceKeys />
          </Part>
          <Part title="Change table">
            <TableKeys />
          </Part>
          <Part title="Old entries">
            <PolicyPart />
          </Part>
          <Part title="Creation">
            <MakingPart entry={entry} test={{ stored: stored.name, body }} />
          </Part>
          <Part title="Name">
            <div className="max-w-md">
              <TextKey path="name" label="Name" hint="Used in addresses, metrics and alerts" />
            </div>
          </Part>
        </>
      )}
    </Settings>
  );
}
