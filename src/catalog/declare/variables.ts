/**
 * `${VAR}` and `${VAR:-default}`. A reference is hidden from the YAML parser behind characters of the private-use area,
 * one for one, so that it may stand anywhere, keeps every position, and can never add YAML of its own; after parsing it
 * is replaced within its scalar. An empty variable takes the default, as in a shell. `$${` is the text `${`; what YAML itself
 * makes of an escape (`"\x24{"`) is text too.
 */

const REFERENCE = /\$?\$\{(?:[A-Za-z_][A-Za-z0-9_]*(?::-[^}\r\n]*)?\})?/g;
const BEGINNING = /\$?\$\{/g;
const OFFSET = 0xe000;
const HIDDEN = /[\ue000-\ue07f]/g;
/** What a text must not hold before it is hidden: it would be shown as something else. */
export const HIDDEN_ALREADY = HIDDEN;
const HIDDEN_REFERENCE = /(\ue024?)\ue024\ue07b(?:(?=[\ue041-\ue05a\ue05f\ue061-\ue07a])([^\ue07d]*)\ue07d)?/g;

/**
 * The text with its references hidden. Same length. Behind the last `}` of a line none begins: what looks like one would
 * look for its end in all the rest of the line.
 */
export function hideReferences(text: string): string {
  return text.replaceAll(/[^\r\n]+/g, (line) => {
    const end = line.lastIndexOf('}') + 1;
    return line.slice(0, end).replaceAll(REFERENCE, hidden) + line.slice(end).replaceAll(BEGINNING, hidden);
  });
}

function hidden(reference: string): string {
  return reference.replaceAll(/[\x21-\x7f ]/g, (char) => String.fromCharCode(OFFSET + char.charCodeAt(0)));
}

/** The text as it was written. */
export function showReferences(text: string): string {
  return text.replaceAll(HIDDEN, (char) => String.fromCharCode(char.charCodeAt(0) - OFFSET));
}

export interface Replaced {
  text: string;
  /** The whole text was one reference. */
  whole: boolean;
  missing: string[];
  /** A `${` is left that is no reference. */
  malformed: boolean;
}

export interface ReplaceOptions {
  /** In JavaScript `${NAME}` is a template's; there only the form with a default is a reference. */
  code?: boolean;
}

/**
 * Replaces the references in a scalar's (hidden) text. Undefined when there is nothing to do. `env` null: nothing is replaced
 * here, so that code stays as it is, and every other reference is missing.
 */
export function replaceReferences(
  hiding: string,
  env: NodeJS.ProcessEnv | null,
  options: ReplaceOptions = {},
): Replaced | undefined {
  const code = options.code === true;
  if (code && env === null) {
    const text = showReferences(hiding);
    return text === hiding ? undefined : { text, whole: false, missing: [], malformed: false };
  }
  const missing: string[] = [];
  let whole = false;
  let malformed = false;
  const text = hiding.replaceAll(HIDDEN_REFERENCE, (match: string, doubled: string, body: string | undefined) => {
    if (body === undefined) {
      malformed ||= !code && doubled === '';
      return code ? showReferences(match) : '${';
    }
    const shown = showReferences(body);
    const [name = ''] = shown.split(':-', 1);
    const fallback = shown.length > name.length ? shown.slice(name.length + 2) : undefined;
    if (doubled !== '') return code && fallback === undefined ? showReferences(match) : `\${${shown}}`;
    if (code && fallback === undefined) return showReferences(match);
    whole = match === hiding;
    malformed ||= fallback?.includes('${') === true;
    const value = env !== null && Object.hasOwn(env, name) ? env[name] : undefined;
    if (env === null || (value === undefined && fallback === undefined)) missing.push(name);
    return (fallback === undefined ? value : value || fallback) ?? '';
  });
  if (text === hiding && !malformed) return undefined;
  return { text, whole, missing, malformed };
}

/** A plain scalar's value as YAML's core schema has it: null, boolean, number or text. */
export function plainValue(text: string): string | number | boolean | null {
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^[-+]?[0-9]+$/.test(text) || /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) {
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
  }
  return text;
}
