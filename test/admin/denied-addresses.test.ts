/** Where a declaration leads is said before anything is delivered: of addresses, of names, and of nobody who is silent. */
import { expect } from 'chai';
import { deniedWarnings } from '../../src/admin/denied-addresses.ts';
import type { Resolver } from '../../src/runtime/checked-lookup.ts';

const NAMES: Record<string, string[]> = {
  'hooks.internal': ['10.1.2.3'],
  'both.example': ['93.184.216.34', '192.168.0.7'],
  'metadata.example': ['169.254.169.254'],
  'hooks.example.com': ['93.184.216.34'],
};

describe('warnings of addresses that nothing connects to', () => {
  const asked: string[] = [];
  const resolver: Resolver = (name, _options, done) => {
    asked.push(name);
    const found = NAMES[name];
    if (found)
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      );
    else if (name !== 'silent.example') done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  };
  const told = async (allowed: 'declared' | boolean | string[], hosts: string[], privateOk = false) =>
    await deniedWarnings(
      { allowed, resolver },
      hosts.map((host) => ({ thing: 'sink hooks', host, privateOk })),
    );

  it('name the thing, the address and the setting that allows it', async () => {
    expect(await told('declared', ['hooks.internal'])).to.deep.equal([
      'sink hooks: hooks.internal is refused: 10.1.2.3 is private, and ALLOW_PRIVATE_DESTINATIONS does not allow it: ' +
        'it is not connected to. Add 10.0.0.0/8, or a smaller network that holds it, to ALLOW_PRIVATE_DESTINATIONS.',
    ]);
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:10.0.0.1]', 'both.example', '192.168.1.1', 'fd00::1'])
      expect((await told(false, [host])).join(), host).to.include('to ALLOW_PRIVATE_DESTINATIONS.');
    expect((await told(true, ['metadata.example'])).join()).to.include("a cloud provider's metadata address");
  });

  it('are not given where the connection may be made, or nothing is known', async () => {
    expect(await told('declared', ['10.0.0.1', 'hooks.internal'], true)).to.deep.equal([]);
    expect(await told(['10.0.0.0/8'], ['10.0.0.1', 'hooks.internal'])).to.deep.equal([]);
    expect(await told(false, ['hooks.example.com', 'nowhere.example', '/var/run/postgresql'])).to.deep.equal([]);
  });

  it('wait for no name server, and ask of few names, each once', async () => {
    asked.length = 0;
    const many = Array.from({ length: 100 }, (_, at) => `n${at}.example`);
    expect(await told(false, ['silent.example', 'hooks.internal', 'hooks.internal', ...many])).to.have.length(2);
    expect(asked.filter((name) => name === 'hooks.internal')).to.have.length(1);
    expect(asked.length).to.be.lessThan(25);
  });
});
