/** What the console makes of an address that somebody pastes. */
import { expect } from 'chai';
import { entryYaml } from '../../src/console/lib/yaml.ts';
import { poolerOf, serviceRemedy, takeApart, withoutPassword } from '../../src/console/pages/databases/address.ts';

describe('console: a pasted address', () => {
  it('is taken apart, or left whole where its parts would not say the same', () => {
    expect(takeApart(' postgresql://a%40b:p%3Ass@db.example.com:6000/shop?sslmode=verify-full ')).to.deep.equal({
      ...{ hostname: 'db.example.com', port: '6000', database: 'shop', username: 'a@b', password: 'p:ss', ssl: 'true' },
    });
    expect(takeApart('postgres://u@[::1]/d')).to.include({ hostname: '::1', port: '5432', password: '' });
    for (const text of [
      'db.example.com',
      'postgres://u:p%zz@h/d',
      'postgres://u:p@h/d?host=/run',
      'postgres://h1,h2/d',
    ])
      expect(takeApart(text), text).to.equal(null);
  });

  it('that is kept whole is copied without its password, however it was typed', () => {
    expect(withoutPassword('postgres://u:secret@h/d?host=/run')).to.equal('postgres://u:...@h/d?host=/run');
    for (const text of [
      'postgres://u:a/secret@h/d',
      'postgres://u:secret:b@h/d?host=/run',
      'postgres://u:secret@b@h/d',
      'postgres://u:a?secret@h/d',
      'postgres://u@h/d?password=secret&host=/run',
      'u:secret@h/d',
      "host=h password = 'secret' user=u",
      "host=h password='a\\'secret' user=u",
      'host=h password=a\\ secret user=u',
    ])
      expect(withoutPassword(text), text).to.include('...').and.not.include('secret');
    for (const text of ['postgres://u@h:5432/d?host=/run', 'postgres://h1:1,h2:2/d', 'postgres://'])
      expect(withoutPassword(text), text).to.equal(text);
  });

  it('of a pooler has the direct one beside it', () => {
    const direct = (hostname: string, port: string, username = 'u') =>
      poolerOf({ hostname, port, username })?.direct ?? null;
    expect(direct('aws-0-eu-central-1.pooler.supabase.com', '6543', 'postgres.abcd')).to.deep.equal({
      ...{ hostname: 'db.abcd.supabase.co', port: '5432', username: 'postgres' },
    });
    expect(direct('ep-cool-pooler.eu.aws.neon.tech', '5432')?.hostname).to.equal('ep-cool.eu.aws.neon.tech');
    expect(direct('db.example.com', '6432')?.port).to.equal('5432');
    expect(direct('db.example.com', '5432')).to.equal(null);
  });

  it('of a managed service has its own words for what is to be done', () => {
    expect(serviceRemedy('x.eu.rds.amazonaws.com', 'wal_level')).to.include('parameter group');
    expect(serviceRemedy('db.example.com', 'wal_level')).to.equal(null);
  });

  it('is written as an entry of the file that reads the same', () => {
    const entry = { name: 'shop', port: 5432, password: 'yes', ssl: true, slot: { name: '12' }, list: ['a', ': b'] };
    expect(entryYaml('databases', { ...entry, url: undefined, code: 'a\nb' })).to.equal(
      'databases:\n  - name: shop\n    port: 5432\n    password: "yes"\n    ssl: true\n    slot:\n      name: "12"\n' +
        '    list: [a, ": b"]\n    code: |-\n      a\n      b\n',
    );
  });
});
