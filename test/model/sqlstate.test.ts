import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import {
  isCancelled,
  isDataException,
  isFenced,
  isOtherTable,
  isOutOfIds,
  isServerError,
  isUnavailable,
  isUnconvertible,
  isValueRefused,
} from '../../src/model/sqlstate.ts';

const withCode = (code: unknown): Error => Object.assign(new Error('said'), { code });

describe('codes of errors', () => {
  it('are Postgres’ when they are five characters, and none of Node’s', () => {
    for (const code of ['22P02', 'XX000', '08006', 'MR002', 'P0001'])
      expect(isServerError(withCode(code)), code).to.be.true;
    for (const code of ['EPIPE', 'EPERM', 'ECONNRESET', 'not_found', 42, undefined]) {
      expect(isServerError(withCode(code)), String(code)).to.be.false;
    }
    for (const none of [new Error('22P02'), { code: '22P02' }, undefined, '22P02'])
      expect(isServerError(none)).to.be.false;
  });

  it('are asked for by class, or one by one', () => {
    expect(isDataException(withCode('22P02'))).to.be.true;
    expect(isDataException(withCode('42P01'))).to.be.false;
    expect([withCode('22P05'), withCode('22021'), withCode('22P02')].map(isUnconvertible)).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(['22003', '54000', '23505'].map(withCode).map(isValueRefused)).to.deep.equal([true, true, false]);
    expect(['42P01', '0A000', 'XX000', '57014'].map(withCode).map(isOtherTable)).to.deep.equal([
      true,
      true,
      true,
      false,
    ]);
    expect(isFenced(withCode('MR002'))).to.be.true;
    expect(isCancelled(new Error('57014'))).to.be.false;
  });

  it('say whether the database is to be had, Node’s too', () => {
    for (const code of ['08006', '57P03', '53300', '55P03', 'EPIPE', 'ECONNREFUSED']) {
      expect(isUnavailable(withCode(code)), code).to.be.true;
    }
    for (const code of ['22P02', '42P01', 'EPERM', 'MR002']) expect(isUnavailable(withCode(code)), code).to.be.false;
    for (const code of ['42501', '55000']) {
      expect(isUnavailable(withCode(code)), code).to.be.false;
      expect(isUnavailable(Object.assign(withCode(code), { routine: 'CheckMyDatabase' })), code).to.be.true;
    }
    for (const routine of ['GetNewTransactionId', 'GetNewMultiXactId']) {
      const over = Object.assign(withCode('54000'), { routine });
      expect([isUnavailable(over), isValueRefused(over), isOutOfIds(over)], routine).to.deep.equal([true, false, true]);
    }
    expect([isUnavailable(withCode('54000')), isOutOfIds(withCode('54000'))]).to.deep.equal([false, false]);
  });

  it('stand in src/model alone: whoever wants to know one asks a predicate', () => {
    const src = path.resolve(import.meta.dirname, '../../src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const knowing = files.filter((file) =>
      /'(\d[\dA-Z]|XX|P0|MR)[\dA-Z]{3}'/.test(readFileSync(path.join(src, file), 'utf8')),
    );
    expect(knowing).to.deep.equal([path.join('model', 'sqlstate.ts')]);
  });
});
