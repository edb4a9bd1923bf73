/** A publication that lists tables of ours is told, and what is printed then takes them out. */
import { expect } from 'chai';
import { checkPublication } from '../../src/checks/publication.ts';
import { openPool } from '../../src/db/pool.ts';
import { readPublication } from '../../src/source/publication-facts.ts';
import { eachMajor } from '../support/postgres/postgres.ts';

const NAME = 'Größe "L"';
const SCHEMA = `create schema millrace; create schema millrace_private; create table items (id int primary key);
  create table millrace.seen (id int primary key); create table millrace_private."an ""odd"" one" (id int primary key);
  create table millrace_private.parts (id int primary key) partition by range (id);
  create table millrace_private.parts_1 partition of millrace_private.parts for values from (0) to (9)`;

describe('a publication that lists our own tables', () => {
  eachMajor((cluster, major) => {
    const names = 'table items, millrace_private."an ""odd"" one", millrace_private.parts, millrace.seen';
    for (const list of [
      names,
      ...(major >= 15 ? ['tables in schema millrace, millrace_private', `${names}, tables in schema millrace`] : []),
    ])
      it(`loses them by what is printed: ${list}`, async () => {
        const database = await cluster().createDatabase();
        const source = openPool({ address: database.url, max: 1, applicationName: 'test' });
        try {
          await source.query(`set search_path = public; ${SCHEMA}; create publication "Größe ""L""" for ${list}`);
          const find = async () => checkPublication((await readPublication(source, NAME, major * 10_000))!, 'shop');
          const [found, ...others] = await find();
          expect([found?.id, others]).to.deep.equal(['publishes_messages', []]);
          for (const sql of found!.sql!.split('; ')) await source.query(sql);
          expect(await find()).to.deep.equal([]);
        } finally {
          await source.close();
          await database.drop();
        }
      });
  });
});
