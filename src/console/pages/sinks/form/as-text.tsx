/** The same sink without this page: as an entry of the file, and as a request. */
import { AsText } from '../../../parts/as-text.tsx';
import { Mono } from '../../../parts/code.tsx';
import { ErrorNote } from '../../../parts/places.tsx';
import { commandOf, type SinkEntry } from './entry.ts';
import type { Planned } from './plan.ts';

export function AsYaml({ planned: { plan, error } }: { planned: Planned }) {
  return (
    <AsText title="As YAML" name="YAML" text={plan && (() => plan.yaml)}>
      {plan && (
        <p>
          An entry of millrace.yaml. A secret is never written: put it into <Mono>SINK_SECRET</Mono>.
        </p>
      )}
      {error && <ErrorNote error={error} />}
      {!plan && !error && <p>Choose a database and a destination first.</p>}
    </AsText>
  );
}

export function AsCurl({ entry }: { entry: SinkEntry }) {
  return (
    <AsText title="As curl" name="curl" text={() => commandOf(entry)}>
      <p>
        It needs a token with the scope <Mono>admin</Mono> in <Mono>MILLRACE_TOKEN</Mono>, and a secret in{' '}
        <Mono>SINK_SECRET</Mono>.
      </p>
    </AsText>
  );
}
