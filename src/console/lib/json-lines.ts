/** JSON text as lines of tokens, for eyes: no value is made of any of it, so every digit stays as it came. */

export type TokenKind = 'key' | 'string' | 'scalar' | 'sign';

export interface Token {
  kind: TokenKind;
  text: string;
}

export interface Line {
  depth: number;
  tokens: Token[];
  /** Where it stands: `record.price`; places of arrays count as their array. */
  path: string;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*\\?"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Nobody asks for the place of what lies deeper. */
const DEEPEST = 100;

/** Also of a text that ends in its middle. */
export function jsonLines(text: string): Line[] {
  const tokens = text.match(TOKEN) ?? [];
  const lines: Line[] = [];
  const above: string[] = [];
  let key = '';
  let line: Line = { depth: 0, tokens: [], path: '' };
  const pathOf = (): string => (above.length > DEEPEST ? '' : [...above, key].filter((part) => part !== '').join('.'));
  const begin = (): void => {
    if (line.tokens.length > 0) lines.push(line);
    line = { depth: above.length, tokens: [], path: pathOf() };
  };
  tokens.forEach((token, place) => {
    const next = tokens[place + 1];
    if (token === '{' || token === '[') {
      line.tokens.push({ kind: 'sign', text: token });
      if (next === '}' || next === ']') return;
      above.push(key);
      key = '';
      begin();
    } else if (token === '}' || token === ']') {
      const before = tokens[place - 1];
      if (before !== '{' && before !== '[') {
        key = above.pop() ?? '';
        begin();
      }
      line.tokens.push({ kind: 'sign', text: token });
    } else if (token === ',') {
      line.tokens.push({ kind: 'sign', text: ',' });
      key = '';
      begin();
    } else if (token === ':') {
      line.tokens.push({ kind: 'sign', text: ': ' });
    } else if (next === ':') {
      key = nameOf(token);
      line.path = pathOf();
      line.tokens.push({ kind: 'key', text: token });
    } else line.tokens.push({ kind: token.startsWith('"') ? 'string' : 'scalar', text: token });
  });
  if (line.tokens.length > 0) lines.push(line);
  return lines;
}

/** What a key is called, without its quotes. */
function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
