/** An entry of the file together with the functions that are made with it. */
import { entryYaml, scalar } from '../../../lib/yaml.ts';
import type { functionsOf } from './uses.ts';

/** `yaml`: of a sink that uses none of them yet, as the API writes it. */
export function withFunctions(yaml: string, functions: ReturnType<typeof functionsOf>): string {
  if (functions.length === 0) return yaml;
  const [, indent = ''] = /^( *)- /m.exec(yaml) ?? [];
  const made = entryYaml('functions', ...functions.map(({ use, name, code }) => ({ name, type: use, code })));
  return `${made}${yaml.trimEnd()}\n${functions.map(({ use, name }) => `${indent}  ${use}: ${scalar(name)}\n`).join('')}`;
}
