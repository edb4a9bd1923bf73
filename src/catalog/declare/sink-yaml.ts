/**
 * A sink as an entry of millrace.yaml, without what is default anyhow. Applied, it changes nothing. Its credential is
 * never written: a variable stands in its place.
 */
import type { SinkSettings } from '../../model/declared.ts';
import { least } from './least.ts';
import { listOf, sinkEntry, withSecrets } from './written.ts';
import { yamlText } from './yaml-text.ts';

/** The variable of the environment that stands for the credential of a search engine. */
export const CREDENTIAL = 'SEARCH_CREDENTIAL';

/** `secret`: as the sink's section opens it; it is not written. `variable`: in its place. */
export function sinkYaml(settings: SinkSettings, secret: string | null, variable: string = CREDENTIAL): string {
  const list = listOf(settings);
  const text = `\${${variable}}`;
  const entry = withSecrets(least(list, sinkEntry(settings, secret)), () => text);
  return yamlText({ [list]: [entry] }, new Set([text]));
}
