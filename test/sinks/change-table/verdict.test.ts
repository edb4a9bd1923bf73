/** Whose fault an error is, by what Postgres and Node say. */
import { expect } from 'chai';
import { MillraceError } from '../../../src/model/errors.ts';
import { circuitText, judge } from '../../../src/sinks/change-table/verdict.ts';

function postgres(code: string, message = 'it went wrong', fields: object = {}): Error {
  return Object.assign(new Error(message), { code, severity: 'ERROR', detail: 'row (4111)', where: '4111', ...fields });
}

const reasonOf = (error: unknown): string | undefined => {
  const verdict = judge(error);
  return verdict?.kind === 'circuit' ? verdict.circuit.reason : verdict?.kind;
};

describe('the verdict on an error', () => {
  it('tells a row, a destination and its credential apart', () => {
    const expected: Record<string, string[]> = {
      row: ['22P02', '22P05', '22003', '22021', '54000', '54001'],
      auth_failed: ['28P01', '28000', '42501'],
      unreachable: ['08006', '57P01', '57P03', '53300', '25P03'],
      bad_destination: [
        '42P01',
        '42703',
        '42804',
        '3F000',
        '3D000',
        '53100',
        '55P03',
        '57014',
        '25006',
        '40P01',
        '23502',
      ],
    };
    for (const [reason, codes] of Object.entries(expected)) {
      for (const code of codes) expect(reasonOf(postgres(code)), code).to.equal(reason);
    }
  });

  it('a server that gives no more transaction ids takes no row, and none is parked for it', () => {
    const verdict = judge(postgres('54000', 'it must be vacuumed', { routine: 'GetNewTransactionId' }));
    expect(verdict?.kind === 'circuit' && verdict.circuit).to.include({ reason: 'bad_destination' });
    expect(verdict?.kind === 'circuit' && verdict.circuit.error).to.contain('it must be vacuumed. Vacuum');
  });

  it('a constraint that has a name is the row’s; a missing partition has none', () => {
    for (const code of ['23505', '23514', '23503', '23P01']) {
      expect(reasonOf(postgres(code, 'violates', { constraint: 'mine' })), code).to.equal('row');
      expect(reasonOf(postgres(code)), code).to.equal('bad_destination');
    }
  });

  it('keeps the code and the message, never a value', () => {
    const texts = [
      judge(postgres('22P02', 'invalid input syntax for type json')),
      judge(postgres('22P02', 'invalid input syntax for type bigint: "4111\n: 4111"')),
      judge(postgres('23514', 'violates check constraint "mine"', { constraint: 'mine' })),
    ].map((verdict) => (verdict?.kind === 'row' ? verdict.error : undefined));
    expect(texts).to.deep.equal([
      '22P02: invalid input syntax for type json',
      '22P02: invalid input syntax for type bigint',
      '23514: violates check constraint "mine"',
    ]);
  });

  it('says what to do', () => {
    const verdict = judge(postgres('53100', 'could not extend file'));
    expect(verdict).to.deep.equal({
      kind: 'circuit',
      circuit: {
        reason: 'bad_destination',
        error: '53100: could not extend file. Free disk space on the destination server.',
      },
      look: false,
    });
    const locked = judge(postgres('55P03', 'canceling statement due to lock timeout'));
    expect(locked).to.have.nested.property('circuit.retryAfterMs', 2_000);
  });

  it('takes a connection’s failure for the destination’s, and a fault of ours for ours', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    for (const error of [
      refused,
      new AggregateError([refused, refused]),
      new Error('Connection terminated unexpectedly'),
    ]) {
      expect(reasonOf(error)).to.equal('unreachable');
    }
    for (const error of [new TypeError('x is undefined'), new MillraceError('unavailable', 'no'), 'text', undefined]) {
      expect(judge(error)).to.equal(undefined);
    }
  });

  it('a text of many parts is cut at 4,000 characters', () => {
    expect(
      circuitText([
        { message: 'a', remedy: '' },
        { message: 'b', remedy: 'Do c.' },
      ]),
    ).to.equal('a\nb. Do c.');
    expect(circuitText([{ message: 'x'.repeat(5_000), remedy: 'y' }])).to.have.length(4_000);
  });
});
