/**
 * Takes secrets out of texts that others wrote: a proxy that prints the request it refuses, an engine or a database that
 * quotes what it was sent. A secret is found in every spelling that programs give it on the way (JSON, addresses, HTML,
 * base64, hexadecimal, upper and lower case), and in parts, for texts are cut anywhere before they come here.
 */

export type Mask = (text: string) => string;

export interface Secret {
  text: string;
  /** Only where it stands as a whole: a part of it (the user in `user:password`) is no secret. */
  whole?: boolean;
}

const SHORTEST = 6;
/** So many characters in a row of a secret's spelling are a part of it. */
const PART = 8;
const STARS = '***';
/** Whatever the credential is, and however short. */
const HEADER = /(authorization["'\\]*\s{0,9}[:=]\s{0,9}["'\\]*(?:(?:basic|bearer|apikey)\s{1,9})?)[^\s"'\\,;}\]<]+/gi;

/**
 * `publicWords`: what may be shown although it is a secret too (a password that is the user's name hides nothing). A secret
 * of fewer than six characters is found in headers only: without it no word would be left.
 */
export function maskOf(secrets: readonly Secret[], publicWords: readonly string[] = []): Mask {
  const known = publicWords.map((word) => word.toLowerCase());
  const wholes = new Set<string>();
  const parts = new Set<string>();
  for (const { text, whole } of secrets) {
    for (const spelling of new Set(spellingsOf(text).map((one) => one.toLowerCase()))) {
      if (spelling.length < SHORTEST || known.includes(spelling)) continue;
      wholes.add(spelling);
      if (whole === true) continue;
      for (let at = 0; at + PART <= spelling.length; at += 1) {
        const part = spelling.slice(at, at + PART);
        if (!known.some((word) => word.includes(part))) parts.add(part);
      }
    }
  }
  return (text) => withoutFound(text, { wholes, parts }).replaceAll(HEADER, `$1${STARS}`);
}

/** The credential of a destination and the header that it becomes; undefined for none. */
export function credentialSecrets(type: string, value: string | null): Secret[] {
  const text = value?.trim() ?? '';
  if (text === '') return [];
  if (type === 'basic') {
    const password = text.slice(text.indexOf(':') + 1);
    return [{ text: password }, { text, whole: true }, { text: base64(text) }];
  }
  // An encoded API key is `id:key` in base64, and engines decode it.
  const decoded = type === 'api_key' ? Buffer.from(text, 'base64').toString('utf8') : '';
  const colon = decoded.indexOf(':');
  const isPlain = colon > 0 && /^[\x21-\x7e]+$/.test(decoded);
  return [{ text }, ...(isPlain ? [{ text: decoded.slice(colon + 1) }] : [])];
}

function withoutFound(text: string, { wholes, parts }: { wholes: Set<string>; parts: Set<string> }): string {
  const folded = text.toLowerCase();
  // A few letters become two in lower case: places would not fit any more.
  const searched = folded.length === text.length ? folded : text;
  const found: [number, number][] = [];
  for (const whole of wholes) {
    for (let at = searched.indexOf(whole); at >= 0; at = searched.indexOf(whole, at + whole.length))
      found.push([at, at + whole.length]);
  }
  if (parts.size > 0) {
    for (let at = 0; at + PART <= searched.length; at += 1)
      if (parts.has(searched.slice(at, at + PART))) found.push([at, at + PART]);
  }
  if (found.length === 0) return text;
  const pieces: string[] = [];
  let shown = 0;
  for (const [from, to] of found.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (from > shown || (from === 0 && shown === 0)) pieces.push(text.slice(shown, from), STARS);
    shown = Math.max(shown, to);
  }
  return [...pieces, text.slice(shown)].join('');
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function spellingsOf(secret: string): string[] {
  const text = secret.toWellFormed();
  const json = JSON.stringify(text).slice(1, -1);
  const percent = encodeURIComponent(text);
  return [
    text,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    escaped(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
    percent,
    percent.replaceAll('%20', '+'),
    percent.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`),
    encodeURIComponent(percent),
    encodeURI(text),
    escaped(text, (code) => `&#${code};`),
    escaped(text, (code) => `&#x${code.toString(16)};`),
    html(text),
    Buffer.from(text, 'utf8').toString('hex'),
    ...[0, 1, 2].map((shift) => shiftedBase64(text, shift)),
    ...[0, 1, 2].map((shift) => shiftedBase64(text, shift).replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** All but letters and digits, as JSON and HTML libraries that escape more than they must. */
const escaped = (text: string, form: (code: number) => string): string =>
  text.replaceAll(/[^A-Za-z0-9 ._:-]/g, (char) => form(char.charCodeAt(0)));

const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const html = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => NAMED[char]!);

/** What of the base64 of a longer text depends on this part of it alone, when `shift` bytes too many stand before it. */
function shiftedBase64(text: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text, 'utf8')]);
  const whole = bytes.toString('base64').replaceAll('=', '');
  const end = bytes.length % 3 === 0 ? whole.length : whole.length - 1;
  return whole.slice(shift === 0 ? 0 : shift + 1, end);
}
