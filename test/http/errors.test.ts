/** Which failure becomes which answer, and that none tells more than it should. */
import { expect } from 'chai';
import { notValid } from '../../src/api/not-valid.ts';
import { bearerToken } from '../../src/http/auth.ts';
import { errorAnswer } from '../../src/http/errors.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { isUnavailable } from '../../src/model/sqlstate.ts';

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error('secret'), { code, ...more });

describe('http: errors', () => {
  it('passing failures of the database are 503 with Retry-After', () => {
    const passing = [
      ...['08006', '53300', '53100', '57P01', '57P03', '57014', '55P03', '40001', '40P01', '25006', '28P01', '3D000'],
      ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE'],
    ].map((code) => withCode(code));
    const spoken = [
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
      'Client has encountered a connection error and is not queryable',
    ].map((text) => new Error(text));
    const several = new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]);
    for (const error of [...passing, ...spoken, several]) {
      const { status, headers, body } = errorAnswer(error);
      expect([status, body.code, headers['Retry-After']], error.message).to.deep.equal([503, 'unavailable', '1']);
      expect(JSON.stringify(body)).to.not.include('secret');
    }
  });

  it('everything else that is not ours to tell is 500', () => {
    for (const error of [
      withCode('22023'),
      withCode('42P01'),
      withCode('ENOENT', { syscall: 'open' }),
      new TypeError('secret'),
      'secret',
      undefined,
      null,
    ]) {
      expect(isUnavailable(error)).to.equal(false);
      const { status, body } = errorAnswer(error);
      expect([status, body.code]).to.deep.equal([500, 'internal']);
      expect(JSON.stringify(body)).to.not.include('secret');
    }
  });

  it('an unknown sink is 404, whoever noticed', () => {
    expect(errorAnswer(withCode('MR404')).status).to.equal(404);
    expect(errorAnswer(new MillraceError('not_found', 'x')).status).to.equal(404);
  });

  it('faults are collected by field, with their remedies', () => {
    const error = new MillraceError('bad_request', 'Not valid', {
      faults: [
        { field: 'a', message: 'is odd', remedy: 'Make it even' },
        { field: 'a', message: 'is late' },
        { field: 'b', message: 'is missing' },
      ],
      remedy: 'See the manual.',
    });
    expect(errorAnswer(error)).to.deep.equal({
      status: 400,
      headers: {},
      body: {
        code: 'bad_request',
        summary: 'Not valid. See the manual.',
        validation_errors: { a: ['is odd. Make it even', 'is late'], b: ['is missing'] },
      },
    });
  });

  it('names fields as they were sent, whatever they are called', () => {
    const fields = ['constructor', '__proto__', 'toString', 'constructor'];
    const faults = fields.map((field) => ({ field, message: 'is not a known field' }));
    const { validation_errors: said } = errorAnswer(new MillraceError('invalid', 'Not valid', { faults })).body;
    expect(JSON.parse(JSON.stringify(said))).to.deep.equal(
      JSON.parse(
        '{"constructor":["a","a"],"__proto__":["a"],"toString":["a"]}'.replaceAll('"a"', '"is not a known field"'),
      ),
    );
  });

  it('tells of a million faults as many as anybody reads', () => {
    const faults = Array.from({ length: 1_000_000 }, (_, index) => ({ field: `f${index % 2}`, message: 'is odd' }));
    const { body } = errorAnswer(new MillraceError('invalid', 'Not valid', { faults }));
    expect(Object.values(body.validation_errors!).flat()).to.have.length(1_000);
    expect(body.faults_left_out).to.equal(999_000);
    expect(
      notValid(
        'invalid',
        faults.slice(0, 21).map((fault, index) => ({ ...fault, field: `f${index}` })),
      ).message,
    ).to.match(/, f19 and 1 more$/);
  });

  it('takes a token of any spelling of Bearer, and nothing else', () => {
    expect(bearerToken('Bearer abc')).to.equal('abc');
    expect(bearerToken('bearer  abc ')).to.equal('abc');
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'Bearer ü', 'xBearer abc']) {
      expect(bearerToken(header), String(header)).to.equal(undefined);
    }
  });
});
