import { Writable } from 'node:stream';
import { expect } from 'chai';
import pg from 'pg';
import { MillraceError } from '../../src/model/errors.ts';
import { createLog, type Log, readableLine } from '../../src/runtime/log.ts';
import { maskAddresses } from '../../src/runtime/redact.ts';

function capture(readable = false): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level: 'info', role: 'web', readable, write: (line) => lines.push(line) }), lines };
}

/** Standard output whose reader takes a line and then no more, until it is told to. */
function slowReader(): { out: Writable; text(): string; goOn(): void } {
  let text = '';
  let goOn = (): void => undefined;
  const out = new Writable({
    decodeStrings: false,
    write(line, _encoding, done) {
      text += line;
      goOn = done;
    },
  });
  return { out, text: () => text, goOn: () => goOn() };
}

describe('log', () => {
  it('leaves lines out rather than to keep them all for a reader that has stopped, and says how many', () => {
    const { out, text, goOn } = slowReader();
    const log = createLog({ level: 'info', out });
    for (let line = 0; line < 10_000; line += 1) log.info({ line, text: 'x'.repeat(1_000) }, 'a line');
    expect(out.writableLength).to.be.within(1_000_000, 8_000_000);
    while (out.writableLength > 0) goOn();
    log.info('well again');
    while (out.writableLength > 0) goOn();
    const lines = text().trimEnd().split('\n');
    const kept = lines.filter((line) => line.includes('a line')).length;
    const [told, last] = lines.slice(kept).map((line): Record<string, unknown> => JSON.parse(line));
    expect(told).to.include({ level: 'warn', lines: 10_000 - kept });
    expect(last).to.include({ msg: 'well again' });
    expect(lines).to.have.length(kept + 2);
  });

  it('writes a json line with level, role and time, and nothing below its level', () => {
    const { log, lines } = capture();
    log.debug('unseen');
    log.child({ service: 'lane' }).info({ count: 3 }, 'sent');
    expect(lines).to.have.length(1);
    const line = JSON.parse(lines[0] ?? '');
    expect(line).to.include({ level: 'info', role: 'web', service: 'lane', count: 3, msg: 'sent' });
    expect(line.time).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('masks what is named like a secret, at any depth, in child fields too', () => {
    const { log, lines } = capture();
    log.child({ password: 'hunter22' }).info(
      {
        databaseUrl: 'hunter22',
        endpoint_url: 'hunter22',
        headers: [{ Authorization: 'hunter22' }],
        nested: { api_token: 'hunter22', secretKey: 'hunter22', auth_value: 'hunter22' },
        kept: 'a name',
      },
      'called postgres://ann:hunter22@db/app',
    );
    expect(lines[0]).not.to.contain('hunter22');
    expect(lines[0]).to.contain('a name').and.to.contain('postgres://***@db/app');
  });

  it("keeps of Postgres' errors what cannot hold a row", () => {
    const error = new pg.DatabaseError('duplicate key value violates unique constraint', 10, 'error');
    Object.assign(error, { code: '23505', constraint: 't_pkey', detail: 'Key (id)=(hunter22)', where: 'hunter22' });
    Object.assign(error, { parameters: ['hunter22'], internalQuery: 'hunter22' });
    const { log, lines } = capture();
    log.error(error);
    log.error({ err: new MillraceError('internal', 'outer', { cause: error }), other: error }, 'failed');
    log.error({ err: new AggregateError([error], 'several') }, 'failed');
    expect(lines.join('')).not.to.contain('hunter22');
    const [first, second, third] = lines.map((line) => JSON.parse(line));
    expect(first.err).to.include({ code: '23505', constraint: 't_pkey' });
    expect(first.err.stack).to.be.a('string');
    expect(second.err.cause.code).to.equal('23505');
    expect(second.other.code).to.equal('23505');
    expect(third.err.errors[0].code).to.equal('23505');
  });

  it('survives bigints, buffers and circles', () => {
    const { log, lines } = capture();
    const circle: Record<string, unknown> = { n: 12345678901234567890n, bytes: Buffer.from('hunter22') };
    circle.self = circle;
    log.info(circle, 'odd');
    expect(JSON.parse(lines[0] ?? '')).to.include({ n: '12345678901234567890', bytes: '<8 bytes>' });
  });

  it('writes short lines for a person', () => {
    const { log, lines } = capture(true);
    log.warn({ wait_ms: 100, err: new Error('no route') }, 'service failed');
    expect(lines[0]).to.match(/^\d\d:\d\d:\d\d\.\d{3} warn {2}web {5}service failed wait_ms=100 error="no route"\n$/);
    expect(readableLine('{"time":"2026-01-02T03:04:05.678Z","level":"info","msg":"hi","a":"b c"}')).to.equal(
      '03:04:05.678 info          hi a="b c"\n',
    );
  });

  it('has a terminal obey nothing that others wrote, be it a name or a message', () => {
    const { log, lines } = capture(true);
    const evil = 'a\u001b[2J\u009b2J\u007f\r\nforged';
    log.warn({ table: evil, err: new Error(evil) }, `waits for ${evil}`);
    expect(lines.join('').slice(0, -1)).to.match(/^\P{Cc}+$/u);
    expect(lines.join('')).to.contain('waits for a·[2J·2J··').and.to.contain('table="a');
  });

  it('cuts credentials out of addresses only', () => {
    expect(maskAddresses('to https://u:p%40x@h:1/x and https://h/a@b and a@b.example')).to.equal(
      'to https://***@h:1/x and https://h/a@b and a@b.example',
    );
    expect(maskAddresses('postgres://u:p@ss:w@h/d, //x@y; redis://:pw@h')).to.equal(
      'postgres://***@h/d, //x@y; redis://***@h',
    );
  });
});
