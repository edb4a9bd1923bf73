import { expect } from 'chai';
import { clientOf } from '../../src/http/client-address.ts';

const of = (proxies: number, remoteAddress: string, forwarded?: string): string =>
  clientOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }, proxies).address;

describe('http: where a request comes from', () => {
  it('is who connected, whatever it says, where no proxy is known', () => {
    expect(of(0, '::ffff:192.0.2.7', '198.51.100.1')).to.equal('192.0.2.7');
    expect(of(0, '2001:db8:0:7:1:2:3:4')).to.equal('2001:db8:0:7::/64');
    expect(of(0, '2001:db8::1')).to.equal('2001:db8:0:0::/64');
    expect(of(0, '::1')).to.equal('0:0:0:0::/64');
    expect(of(0, '')).to.equal('unknown');
  });

  it('is what the proxies say that are known, counted from the last one', () => {
    const said = '203.0.113.9, 198.51.100.1:4711, [2001:db8::5]:80';
    expect(of(1, '10.0.0.1', said)).to.equal('2001:db8:0:0::/64');
    expect(of(2, '10.0.0.1', said)).to.equal('198.51.100.1');
    expect(of(3, '10.0.0.1', said)).to.equal('203.0.113.9');
    for (const text of [undefined, '', 'unknown', '1.2.3.4, nonsense']) {
      expect(of(1, '10.0.0.1', text), text).to.equal('10.0.0.1');
    }
  });
});
