import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { hostRefusal, isLocal, readPrivateAllowed, refusalOf } from '../../src/runtime/addresses.ts';
import { checkedLookup, guardOf, literalFault, type Resolver } from '../../src/runtime/checked-lookup.ts';

describe('addresses that may be connected to', () => {
  it('are never metadata, link-local, multicast or reserved ones, however they are wrapped', () => {
    const wrapped = (a: string, b: string): string[] => [
      `::ffff:${a}:${b}`,
      `0:0:0:0:0:FFFF:${a}:${b}`,
      `::ffff:0:${a}:${b}`,
      `::${a}:${b}`,
      `64:ff9b::${a}:${b}`,
      `2002:${a}:${b}::1`,
      `2002:${a}:${b}:1:2:3:4:5`,
    ];
    for (const address of [
      ...['169.254.169.254', '169.254.0.1', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
      ...['0.0.0.0', '0.255.255.255', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
      ...['192.0.2.1', '198.51.100.7', '203.0.113.9', '192.88.99.1', '192.0.0.8'],
      ...['::', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'ff02::1', 'fd00:ec2::254', 'FD00:0EC2:0::0254', 'fd20:ce::254'],
      ...['fec0::1', '2001:db8::1', '2001::1', '3fff::1', '100::1', '64:ff9b:1::1', '4000::1', '::ffff:169.254.1.1'],
      ...['::ffff:0.0.0.0', '64:ff9b::169.254.169.254', '::169.254.169.254'],
      ...wrapped('a9fe', 'a9fe'),
      ...wrapped('6464', '64c8'),
      ...wrapped('e000', '1'),
      ...['', 'localhost', '10.0.0', '0x7f.1', '2130706433', '1.2.3.4.5', '::g'],
    ]) {
      expect(refusalOf(address, true), address).to.have.property('message').that.contains(address);
      expect(isLocal(address), address).to.equal(false);
    }
  });

  it('are public ones, however they are wrapped', () => {
    for (const address of [
      ...['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.255.255', '172.32.0.1', '223.255.255.255'],
      ...['2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808', '2002:808:808::1', '2a00::1'],
    ]) {
      expect(refusalOf(address, false), address).to.equal(undefined);
      expect(isLocal(address), address).to.equal(false);
    }
  });

  it('are private ones as the setting says, and the error names the variable and the network', () => {
    for (const [address, network] of [
      ['127.0.0.1', '127.0.0.0/8'],
      ['127.255.0.9', '127.0.0.0/8'],
      ['10.0.0.1', '10.0.0.0/8'],
      ['172.16.0.1', '172.16.0.0/12'],
      ['172.31.255.255', '172.16.0.0/12'],
      ['192.168.1.1', '192.168.0.0/16'],
      ['100.64.0.1', '100.64.0.0/10'],
      ['198.19.249.2', '198.18.0.0/15'],
      ['::1', '::1/128'],
      ['fc00::1', 'fc00::/7'],
      ['fdaa:0:1::3', 'fc00::/7'],
      ['::ffff:10.1.2.3', '10.0.0.0/8'],
      ['64:ff9b::a01:203', '10.0.0.0/8'],
      ['2002:a01:203::', '10.0.0.0/8'],
    ] as const) {
      expect(refusalOf(address, true), address).to.equal(undefined);
      expect(refusalOf(address, 'declared'), address).to.equal(undefined);
      expect(refusalOf(address, [network]), address).to.equal(undefined);
      for (const allowed of [false, ['203.0.113.0/24'], []] as const) {
        const { message, remedy } = refusalOf(address, allowed)!;
        expect(message, address).to.contain(address).and.to.contain('ALLOW_PRIVATE_DESTINATIONS');
        expect(remedy, address).to.contain(network).and.to.contain('ALLOW_PRIVATE_DESTINATIONS');
      }
    }
    expect(refusalOf('10.0.0.5', ['10.0.0.5'])).to.equal(undefined);
    expect(refusalOf('10.0.0.6', ['10.0.0.5'])).not.to.equal(undefined);
    expect(refusalOf('169.254.169.254', ['0.0.0.0/0'])).not.to.equal(undefined);
    expect(refusalOf('fd12::1', ['10.0.0.0/8', 'fd00::/8'])).to.equal(undefined);
  });

  it('are near ones only when nobody translates them on the way', () => {
    for (const address of ['127.0.0.1', '::1', '10.9.8.7', 'fd12::1', '::ffff:10.1.2.3']) {
      expect(isLocal(address), address).to.equal(true);
    }
    for (const address of ['64:ff9b::a01:203', '2002:a01:203::', '::10.1.2.3', '8.8.8.8', 'localhost']) {
      expect(isLocal(address), address).to.equal(false);
    }
  });

  it('are checked as they are declared when they are no names', () => {
    expect(hostRefusal('[fe80::1]')).to.have.property('message');
    expect(hostRefusal(new URL('http://0xa9fea9fe/').hostname)).to.have.property('message');
    expect(hostRefusal('db.example')).to.equal(undefined);
    expect(hostRefusal('10.0.0.1')).to.equal(undefined);
  });

  it('are allowed by a word or a list of networks', () => {
    expect(readPrivateAllowed('TRUE ')).to.equal(true);
    expect(readPrivateAllowed('false')).to.equal(false);
    expect(readPrivateAllowed('declared')).to.equal('declared');
    expect(readPrivateAllowed('10.0.0.0/8, fd00::/8')).to.deep.equal(['10.0.0.0/8', 'fd00::/8']);
    expect(readPrivateAllowed('10.0.0.1')).to.deep.equal(['10.0.0.1']);
    for (const text of [
      '',
      'yes',
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0.0/',
      'fe80::1%eth0',
      '10.0.0.0/8;x',
      'true,10.0.0.1',
    ])
      expect(readPrivateAllowed(text), text).to.equal(undefined);
  });
});

describe('checkedLookup', () => {
  const guard = guardOf({ allowed: 'declared' });
  const answering =
    (...rounds: string[][]): Resolver =>
    (_name, _options, done) => {
      const found = rounds.shift() ?? [];
      done(
        null,
        found.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
  const look = (resolver: Resolver, all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      checkedLookup(guard, resolver)('db.example', { all }, (error, found, family) =>
        resolve(error ?? (family === undefined ? found : [found, family])),
      );
    });

  it('gives the addresses that it checked, and asks once', async () => {
    expect(await look(answering(['8.8.8.8', '2a00::1'], ['169.254.169.254']), true)).to.deep.equal([
      { address: '8.8.8.8', family: 4 },
      { address: '2a00::1', family: 6 },
    ]);
    expect(await look(answering(['2a00::1', '8.8.8.8']), false)).to.deep.equal(['2a00::1', 6]);
  });

  it('refuses a name when any of its addresses is refused, and one that has none', async () => {
    for (const addresses of [
      ['169.254.169.254'],
      ['8.8.8.8', '169.254.169.254'],
      ['::ffff:169.254.169.254', '8.8.8.8'],
    ]) {
      expect(await look(answering(addresses), true), addresses.join()).to.have.property('code', 'MR_ADDRESS');
      expect(await look(answering(addresses), false), addresses.join()).to.have.property('code', 'MR_ADDRESS');
    }
    expect(await look(answering([]), true)).to.have.property('code', 'ENOTFOUND');
  });

  it('leaves literals to the check beside it', () => {
    expect(literalFault('169.254.169.254', guard)).to.have.property('code', 'MR_ADDRESS');
    expect(literalFault('[fd00:ec2::254]', guard)).to.have.property('code', 'MR_ADDRESS');
    expect(literalFault('127.0.0.1', guard)).to.equal(undefined);
    expect(literalFault('db.example', guard)).to.equal(undefined);
  });
});
