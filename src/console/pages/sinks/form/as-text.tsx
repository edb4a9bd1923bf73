/** The same sink without this page: as an entry of the file, and as requests. */
import { AsText } from '../../../parts/as-text.tsx';
import { Mono } from '../../../parts/code.tsx';
import { commandOf } from './command.ts';
import type { SinkEntry } from './entry.ts';
import type { functionsOf } from './uses.ts';

export const YAML_NOTE = (
  <>
    An entry of millrace.yaml. A secret is never written: put it into <Mono>SINK_SECRET</Mono>.
  </>
);

interface AsCurlProps {
  entry: SinkEntry;
  functions: ReturnType<typeof functionsOf>;
}

export function AsCurl({ entry, functions }: AsCurlProps) {
  return (
    <AsText title="As curl" name="curl" text={() => commandOf(entry, functions)}>
      <p>
        It needs a token with the scope <Mono>admin</Mono> in <Mono>MILLRACE_TOKEN</Mono>, and any secret in{' '}
        <Mono>SINK_SECRET</Mono>.
      </p>
    </AsText>
  );
}
