/** A changed SECRET_KEY: what opens meanwhile, what `millrace secret rotate` seals anew, and when it does not. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { keyRing } from '../../src/runtime/secret-key.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { runCli } from '../support/processes/cli.ts';
import { parse, SECRET_KEY, SHOP } from './support.ts';

const SECOND = 'Ew8sQ1zXk5VtN3yGb7LrUc2JfHd6Mp9A';
const THIRD = 'pX4gM7uJt9KbW2eRz6VnQc1YsHf8Ld3A';
const FILE = `${SHOP}  - { name: archive, url: "postgres://keeper:archivepw@two/archive" }
sinks:
  - { name: worker, database: shop, destination: { type: pull } }
  - name: index
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_value: bXlrZXk6c2VjcmV0 }
  - name: second
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: j, auth_value: b3RoZXI6c2VjcmV0 }
`;

describe('secrets under a changed SECRET_KEY', function () {
  this.timeout(120_000);
  let messages: MessageDatabase;
  const ring = (secretKey: string, ...previousKeys: string[]) => keyRing({ secretKey, previousKeys });
  const apply = (keys: ReturnType<typeof ring>) => applyConfig({ db: messages.db, keys }, parse(FILE).config);
  const query = async (sql: string) => (await messages.db.query<Record<string, string>>(sql)).rows;
  const rotate = (env: NodeJS.ProcessEnv) => runCli(['secret', 'rotate'], { DATABASE_URL: messages.url, ...env });
  const sealed = () =>
    query(`select name, address as sealed from millrace_private.databases
           union all select name, secret from millrace_private.sinks where secret is not null order by 1`);
  const refusal = async (work: Promise<unknown>): Promise<MillraceError> => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(MillraceError);
    return error as MillraceError;
  };

  beforeEach(async () => {
    messages = await messageDatabase();
    await apply(ring(SECRET_KEY));
  });
  afterEach(async () => await messages.drop());

  it('open with the former key beside the new one, and an apply seals only what differs', async () => {
    const before = await sealed();
    const summary = await apply(ring(SECOND, SECRET_KEY));
    expect([summary.created, summary.changed]).to.deep.equal([[], []]);
    expect(await sealed()).to.deep.equal(before);
    const catalog = await loadCatalog(messages.db, ring(SECOND, THIRD, SECRET_KEY));
    expect(catalog.databases.map((one) => one.address().password)).to.deep.equal(['hunter22', 'archivepw']);
    expect(catalog.sinks.map((sink) => sink.secret())).to.deep.equal([null, 'bXlrZXk6c2VjcmV0', 'b3RoZXI6c2VjcmV0']);
  });

  it('are sealed again in one go; called again it finds nothing to do', async () => {
    const [generation] = await query('select generation::text from millrace_private.catalog_state');
    const id = ring(SECOND).current.id;
    const first = await rotate({ SECRET_KEY: SECOND, SECRET_KEY_PREVIOUS: `${THIRD},${SECRET_KEY}` });
    expect(first, first.stderr).to.include({ code: 0 });
    expect(first.stdout).to.include(`4 secrets sealed again with SECRET_KEY (key ${id})`);
    for (const { sealed: text } of await sealed()) expect(text).to.match(new RegExp(`^v2:${id}:`));
    const again = await rotate({ SECRET_KEY: SECOND, SECRET_KEY_PREVIOUS: SECRET_KEY });
    expect(again.stdout).to.equal(`Nothing to do: SECRET_KEY (key ${id}) has sealed all 4 secrets.\n`);
    expect((await rotate({ SECRET_KEY: SECOND })).code).to.equal(0);
    const catalog = await loadCatalog(messages.db, ring(SECOND));
    expect(catalog.databases[0]!.address().password).to.equal('hunter22');
    expect(catalog.sinks[1]!.secret()).to.equal('bXlrZXk6c2VjcmV0');
    // Nobody need take up anything.
    expect(await query('select generation::text from millrace_private.catalog_state')).to.deep.equal([generation]);
    expect((await refusal(loadCatalog(messages.db, ring(SECRET_KEY)))).message).to.include(`the key ${id}`);
  });

  it('stay as they are when one opens with neither key, and all of those are named', async () => {
    await apply(ring(SECOND, SECRET_KEY));
    await query(
      "update millrace_private.databases set address = replace(address, 'v2:', 'v1:') where name = 'archive'",
    );
    await query(`update millrace_private.sinks a set secret = b.secret
                   from millrace_private.sinks b where a.name = 'second' and b.name = 'index'`);
    const before = await sealed();
    const lost = await rotate({ SECRET_KEY: SECOND, SECRET_KEY_PREVIOUS: THIRD });
    expect(lost.code).to.equal(1);
    const id = ring(SECRET_KEY).current.id;
    for (const text of [`database shop (key ${id})`, 'database archive (in a form', `sink index (key ${id})`])
      expect(lost.stderr).to.include(text);
    const half = await rotate({ SECRET_KEY: SECOND, SECRET_KEY_PREVIOUS: SECRET_KEY });
    expect(half.stderr).to.include('sink second (sealed for another place)').and.not.include('sink index');
    expect(await sealed()).to.deep.equal(before);
  });

  it('do not open where they were swapped, or their server was changed by SQL; the others do, and an apply heals it', async () => {
    const keys = ring(SECRET_KEY);
    await query(`update millrace_private.sinks a set secret = b.secret from millrace_private.sinks b
                  where (a.name, b.name) in (('index', 'second'), ('second', 'index'))`);
    await query("update millrace_private.databases set hostname = 'elsewhere' where name = 'archive'");
    const catalog = await loadCatalog(messages.db, keys);
    expect(catalog.databases[0]!.address().password).to.equal('hunter22');
    for (const open of [catalog.databases[1]!.address, catalog.sinks[1]!.secret, catalog.sinks[2]!.secret])
      expect(open).to.throw(MillraceError, 'sealed for another place');
    expect((await apply(keys)).changed).to.deep.equal(['database archive', 'sink index', 'sink second']);
    await query(`update millrace_private.sinks
                    set settings = jsonb_set(settings, '{destination,endpoint_url}', '"http://evil"') where name = 'index'`);
    const pointed = await loadCatalog(messages.db, keys);
    expect(pointed.sinks[1]!.secret).to.throw(MillraceError, 'sink index');
    expect(pointed.sinks[2]!.secret()).to.equal('b3RoZXI6c2VjcmV0');
  });

  it('stay with a thing that is renamed', async () => {
    await query("update millrace_private.sinks set name = 'renamed' where name = 'index'");
    await query("update millrace_private.databases set name = 'store' where name = 'shop'");
    const catalog = await loadCatalog(messages.db, ring(SECRET_KEY));
    expect(catalog.sinks[1]!.secret()).to.equal('bXlrZXk6c2VjcmV0');
    expect(catalog.databases[0]!.address().password).to.equal('hunter22');
  });
});
