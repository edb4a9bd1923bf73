import { expect } from 'chai';
import pg from 'pg';
import { refusalText, withoutValues } from '../../src/model/refusal.ts';
import type { ServerError } from '../../src/model/sqlstate.ts';
import { createLog } from '../../src/runtime/log.ts';

const said = (code: string, message: string): ServerError =>
  Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code }) as unknown as ServerError;

/** As servers of several languages say it, with what is left. */
const OF_VALUES: [code: string, message: string, left: string][] = [
  ['22P02', 'invalid input syntax for type integer: "hunter22"', 'invalid input syntax for type integer'],
  ['22P02', 'invalid input syntax for type integer: "a: "hunter22" b"', 'invalid input syntax for type integer'],
  ['22003', 'value "hunter22" is out of range for type integer', 'value *** is out of range for type integer'],
  ['22003', 'value "hunter22"9"" is out of range for type integer', 'value *** is out of range for type integer'],
  ['22008', 'date field value out of range: 2000-01-hunter22', 'date field value out of range'],
  ['22023', 'unit "hunter22" not recognized for type date', 'unit *** not recognized for type date'],
  ['22P02', 'ungültige Eingabesyntax für Typ integer: »hunter22«', 'ungültige Eingabesyntax für Typ integer'],
  [
    '22P02',
    'syntaxe en entrée invalide pour le type integer : « hunter22 »',
    'syntaxe en entrée invalide pour le type integer',
  ],
  ['22003', 'Wert »hunter22« ist außerhalb des gültigen Bereichs', 'Wert *** ist außerhalb des gültigen Bereichs'],
  ['22012', 'division by zero', 'division by zero'],
];

describe('what Postgres says of a value', () => {
  for (const [code, message, left] of OF_VALUES) {
    it(`is said and logged without the value: ${message}`, () => {
      const error = said(code, message);
      expect(withoutValues(error)).to.equal(left);
      expect(withoutValues(new AggregateError([error]))).to.equal(left);
      expect(refusalText(error)).to.equal(`${code}: ${left}`);
      const lines: string[] = [];
      const log = createLog({ level: 'info', write: (line) => lines.push(line) });
      log.error({ err: error, other: new Error('outer', { cause: error }) }, 'failed');
      expect(lines.join('')).to.contain(left).and.to.contain(code).and.not.to.contain('hunter22');
      expect(JSON.parse(lines[0]!).err.stack).to.contain('refusal.test');
    });
  }

  it('is said whole where it is about something else', () => {
    for (const [code, message] of [
      ['42P01', 'relation "orders" does not exist'],
      ['22021', 'invalid byte sequence for encoding "UTF8": 0xe9'],
      ['22P05', 'character with byte sequence 0x81 in encoding "WIN1252" has no equivalent in encoding "UTF8"'],
    ] as const) {
      expect(withoutValues(said(code, message))).to.equal(message);
    }
    expect(withoutValues(new Error('a: "b"'))).to.equal('a: "b"');
    expect(withoutValues('a: "b"')).to.equal('a: "b"');
  });
});
