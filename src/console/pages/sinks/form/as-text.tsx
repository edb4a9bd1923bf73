/** The same sink without this page: as an entry of the file, and as a request. */
import { AsText } from '../../../parts/as-text.tsx';
import { Mono } from '../../../parts/code.tsx';
import { commandOf } from './command.ts';
import type { SinkEntry } from './entry.ts';

export const YAML_NOTE = (
  <>
    An entry of millrace.yaml. A secret is never written: put it into <Mono>SINK_SECRET</Mono>.
  </>
);

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
