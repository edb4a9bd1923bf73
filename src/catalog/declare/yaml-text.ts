/**
 * A declaration as the text of a file. What is read from it is the same value, whatever is in it: `${` within a text is
 * written as an escape of YAML, so that it is no variable.
 */
import { Document, isScalar, type ScalarTag, visit } from 'yaml';

/** In code only the form with a default is a variable. */
const IN_CODE = /\$\{[A-Za-z_][A-Za-z0-9_]*:-/;

/** A text in double quotes, as JSON has it, but for this escape, which YAML alone has. */
class Escaped {
  readonly text: string;
  constructor(text: string) {
    this.text = JSON.stringify(text).replaceAll('${', '\\x24{');
  }
}

const ESCAPED: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:str',
  identify: (value) => value instanceof Escaped,
  resolve: (text) => text,
  stringify: ({ value }) => (value as Escaped).text,
};

/** `variables`: texts that are written as they are, so that they are variables. */
export function yamlText(value: object, variables: ReadonlySet<string> = new Set()): string {
  const document = new Document(value, { aliasDuplicateObjects: false, customTags: (tags) => [...tags, ESCAPED] });
  visit(document, {
    Scalar(key, node, path) {
      if (typeof node.value !== 'string' || variables.has(node.value)) return;
      const parent = path.at(-1);
      const isCode = key === 'value' && typeof parent === 'object' && 'key' in parent && isNamed(parent.key, 'code');
      const isVariable = isCode ? IN_CODE.test(node.value) : node.value.includes('${');
      if (isVariable || node.value === '<<') node.value = new Escaped(node.value);
    },
  });
  return document.toString({ lineWidth: 0 });
}

const isNamed = (key: unknown, name: string): boolean => isScalar(key) && key.value === name;
