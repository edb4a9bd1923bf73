/** An entry as the configuration file has it, for whoever keeps it there. */

export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined };

const isList = (value: Plain): value is readonly Plain[] => Array.isArray(value);

/** A list of the file with these entries; keys without a value are left out. */
export const entryYaml = (list: string, ...entries: readonly Plain[]): string => `${list}:\n${lines(entries, '  ')}`;

function lines(value: Plain, indent: string): string {
  if (isList(value)) return value.map((item) => `${indent}- ${lines(item, `${indent}  `).trimStart()}`).join('');
  if (value === null || typeof value !== 'object') return `${scalar(value)}\n`;
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([key, one]) => `${indent}${scalar(key)}:${after(key, one as Plain, `${indent}  `)}`)
    .join('');
}

function after(key: string, value: Plain, indent: string): string {
  const isVariable = key === 'code' ? IN_CODE : VARIABLE;
  if (typeof value === 'string' && !isVariable.test(value)) return ` ${block(value, indent) ?? `${scalar(value)}\n`}`;
  if (value === null || typeof value !== 'object') return ` ${scalar(value)}\n`;
  if (isList(value) && value.every((one) => one === null || typeof one !== 'object'))
    return ` [${value.map(scalar).join(', ')}]\n`;
  if (Object.keys(value).length === 0) return ' {}\n';
  return `\n${lines(value, indent)}`;
}

/** What the file would take for a variable; in code only the form with a default is one. */
const VARIABLE = /\$\{/;
const IN_CODE = /\$\{[A-Za-z_][A-Za-z0-9_]*:-/;

/** A text of several lines, as code is. */
function block(value: string, indent: string): string | null {
  if (!value.trimEnd().includes('\n') || !/^\S[^\r\t\x85\u2028\u2029]*$/.test(value)) return null;
  const kept = value.endsWith('\n') ? '|' : '|-';
  const body = value.replace(/\n$/, '');
  if (body.endsWith('\n')) return null;
  return `${kept}\n${body.replaceAll(/^(?=.)/gm, indent)}\n`;
}

/** Words that YAML would read as something else than a text. */
const OTHER = /^(?:true|false|null|yes|no|on|off|y|n|~|[-+.\d].*|0[xo].*)$/i;

/** A value on its line. `${` is written as an escape of YAML, so that it is no variable. */
export function scalar(value: Plain): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[\w][\w ./@-]*$/.test(value) && !value.endsWith(' ') && !OTHER.test(value);
  return isPlain ? value : JSON.stringify(value).replaceAll('${', '\\x24{');
}
