/**
 * A declaration as the text of a file. What is read from it is the same value, whatever is in it: `${` within a text is
 * written as an escape of YAML, so that it is no variable.
 */
import { Document, isScalar, Scalar, visit } from 'yaml';

/** Stands for `$` until the text is there: no character of the values, which never hold one of these. */
const DOLLAR = '\ue024';
/** In code only the form with a default is a variable. */
const IN_CODE = /\$\{[A-Za-z_][A-Za-z0-9_]*:-/;

/** `variables`: texts that are written as they are, so that they are variables. */
export function yamlText(value: object, variables: ReadonlySet<string> = new Set()): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(key, node, path) {
      if (typeof node.value !== 'string' || variables.has(node.value)) return;
      const parent = path.at(-1);
      const isCode = key === 'value' && typeof parent === 'object' && 'key' in parent && isNamed(parent.key, 'code');
      const isVariable = isCode ? IN_CODE.test(node.value) : node.value.includes('${');
      if (!isVariable && node.value !== '<<') return;
      node.value = node.value.replaceAll('${', `${DOLLAR}{`);
      node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 }).replaceAll(DOLLAR, '\\x24');
}

const isNamed = (key: unknown, name: string): boolean => isScalar(key) && key.value === name;
