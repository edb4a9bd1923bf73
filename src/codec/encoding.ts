/**
 * Texts in a source's own encoding. Postgres converts them, and ends a query or a stream at the first character that has
 * no place in Unicode's tables of that encoding (22P05): from then on they are taken as they are stored and decoded here.
 * https://www.postgresql.org/docs/current/multibyte.html (table "PostgreSQL Character Sets")
 */

/** Names of https://encoding.spec.whatwg.org/ for Postgres'. Those that it lacks stay bytes. */
const LABELS: Readonly<Record<string, string>> = {
  EUC_CN: 'gbk',
  EUC_JP: 'euc-jp',
  EUC_KR: 'euc-kr',
  ISO_8859_5: 'iso-8859-5',
  ISO_8859_6: 'iso-8859-6',
  ISO_8859_7: 'iso-8859-7',
  ISO_8859_8: 'iso-8859-8',
  KOI8R: 'koi8-r',
  KOI8U: 'koi8-u',
  LATIN1: 'iso-8859-1',
  LATIN2: 'iso-8859-2',
  LATIN3: 'iso-8859-3',
  LATIN4: 'iso-8859-4',
  LATIN5: 'iso-8859-9',
  LATIN6: 'iso-8859-10',
  LATIN7: 'iso-8859-13',
  LATIN8: 'iso-8859-14',
  LATIN9: 'iso-8859-15',
  LATIN10: 'iso-8859-16',
  WIN866: 'ibm866',
  WIN874: 'windows-874',
  WIN1250: 'windows-1250',
  WIN1251: 'windows-1251',
  WIN1252: 'windows-1252',
  WIN1253: 'windows-1253',
  WIN1254: 'windows-1254',
  WIN1255: 'windows-1255',
  WIN1256: 'windows-1256',
  WIN1257: 'windows-1257',
  WIN1258: 'windows-1258',
};

/** Text in UTF-8 of bytes in another encoding; a character that it does not know stays the bytes it is. */
export type Transcode = (bytes: Buffer) => Buffer;

/** Undefined for UTF8 and SQL_ASCII, whose bytes are what they are. */
export function transcoderOf(encoding: string): Transcode | undefined {
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return undefined;
  const label = LABELS[encoding];
  const decoder = label === undefined ? undefined : new TextDecoder(label, { fatal: true });
  return (bytes) => {
    if (bytes.every((byte) => byte < 0x80)) return bytes;
    try {
      return decoder ? Buffer.from(decoder.decode(bytes)) : bytes;
    } catch {
      return bytes;
    }
  };
}
