/** The same change retention without this page: as an entry of the file, and as a request. */
import { curlOf } from '../../../lib/curl.ts';
import type { Plain } from '../../../lib/yaml.ts';
import { AsText } from '../../../parts/as-text.tsx';
import { Mono } from '../../../parts/code.tsx';
import { bodyOf, type RetentionEntry } from './entry.ts';

export const YAML_NOTE = 'An entry for millrace.yaml.';

export function AsCurl({ entry }: { entry: RetentionEntry }) {
  const command = (): string => curlOf('POST', '/api/change_retentions', bodyOf(entry) as Record<string, Plain>);
  return (
    <AsText title="As curl" name="curl" text={command}>
      <p>
        It needs a token with the scope <Mono>admin</Mono> in <Mono>MILLRACE_TOKEN</Mono>.
      </p>
    </AsText>
  );
}
