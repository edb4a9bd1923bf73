/** Every setting of a sink. */
import { useNavigate } from '@tanstack/react-router';
import { Part } from '../../../parts/form/part.tsx';
import { Settings } from '../../../parts/form/settings.tsx';
import { TestConnection } from '../../../parts/form/test-connection.tsx';
import { YAML_NOTE } from '../form/as-text.tsx';
import { DestinationPart } from '../form/destination-part.tsx';
import { DESTINATIONS } from '../form/destinations.ts';
import { FunctionKey } from '../form/function-key.tsx';
import { NamePart } from '../form/name-part.tsx';
import { TablesPart } from '../form/tables-part.tsx';
import { kindOfType } from '../kinds.ts';
import { useSink } from '../use-sink.ts';
import { entryOf, withStoredSecrets } from './entry-of.ts';

export function SinkSettings() {
  const stored = useSink();
  const navigate = useNavigate();
  return (
    <Settings
      stored={stored}
      entry={entryOf(stored)}
      withStoredSecrets={withStoredSecrets}
      effect="Capture is not interrupted. Pending messages are delivered with the new settings."
      yamlNote={YAML_NOTE}
      onRenamed={(sink) => navigate({ to: '/sinks/$sink/settings', params: { sink }, replace: true })}
    >
      {({ destination: { type } }, { destination }) => (
        <>
          <Part title="Tables">
            <TablesPart />
          </Part>
          <Part title="Destination">
            <DestinationPart />
            {DESTINATIONS[type]?.isTested && (
              <TestConnection stored={stored.name} body={destination === undefined ? {} : { destination }} />
            )}
          </Part>
          <Part title="Functions">
            <div className="grid gap-4 sm:grid-cols-2">
              <FunctionKey use="transform" />
              <FunctionKey use="filter" hint="Rows for which it returns false are not sent" />
              {kindOfType(type).isIndex && <FunctionKey use="routing" hint="Chooses the index of each message" />}
            </div>
          </Part>
          <Part title="Name">
            <NamePart withStatus={false} />
          </Part>
        </>
      )}
    </Settings>
  );
}
