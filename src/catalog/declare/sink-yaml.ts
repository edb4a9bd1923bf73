/**
 * A sink as an entry of millrace.yaml, without what is default anyhow. Applied, it changes nothing. Its credential is
 * never written: a variable stands in its place.
 */
import type { SinkSettings } from '../../model/declared.ts';
import { least } from './least.ts';
import { listOf, sinkEntry, withSecrets } from './written.ts';
import { yamlText } from './yaml-text.ts';

/** The variable of the environment that stands for a credential. */
export const CREDENTIAL = 'SEARCH_CREDENTIAL';
const VARIABLE = `\${${CREDENTIAL}}`;

/** `hasSecret`: a credential is stored. */
export function sinkYaml(settings: SinkSettings, hasSecret: boolean): string {
  const list = listOf(settings);
  const entry = least(list, sinkEntry(settings, hasSecret ? VARIABLE : null));
  return yamlText({ [list]: [withSecrets(entry, (text) => text)] }, new Set([VARIABLE]));
}
