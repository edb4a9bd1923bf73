/** A new sink and the functions written with it, as entries of the file. */
import { expect } from 'chai';
import { sinkYaml } from '../../src/catalog/declare/sink-yaml.ts';
import { newEntry } from '../../src/console/pages/sinks/form/entry.ts';
import { functionsOf } from '../../src/console/pages/sinks/form/uses.ts';
import { withFunctions } from '../../src/console/pages/sinks/form/with-functions.ts';
import { parse, SHOP, search } from '../catalog/support.ts';

describe('console: a sink with its functions as YAML', () => {
  it('is read as that sink, which uses them by the names that were given or proposed', () => {
    const { settings } = parse(search('')).config.sinks[0]!;
    const entry = { ...newEntry(), database: 'shop', source: { include_tables: ['public.Products'] } };
    const functions = functionsOf(entry, {
      transform: { name: '', code: '(action, record) => ({\n  ...record,\n})\n' },
      routing: { name: 'on', code: '() => ({ index_name: "a: b" })' },
    });
    const { config } = parse(`${SHOP}${withFunctions(sinkYaml(settings, null), functions)}`);
    const { transform, routing, filter } = config.sinks[0]!.settings;
    expect({ transform, routing, filter }).to.deep.equal({
      transform: 'products-document',
      routing: 'on',
      filter: settings.filter,
    });
    expect(config.functions.map(({ name, type, code }) => [name, type, code])).to.deep.equal(
      functions.map(({ use, name, code }) => [name, use, code]),
    );
  });
});
