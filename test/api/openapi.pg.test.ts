/** The OpenAPI document says what the routes are. */
import { expect } from 'chai';
import { openApiOf } from '../../src/api/openapi.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { type Managed, managed } from './support.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: object;
  security?: object[];
}

describe('api: the document', () => {
  const document = JSON.parse(JSON.stringify(openApiOf(ROUTES)));
  const operations: Operation[] = Object.values<Record<string, Operation>>(document.paths).flatMap(Object.values);

  it('has every route, with each of its parameters in its place', () => {
    expect(operations).to.have.length(ROUTES.length);
    for (const { method, path, input, body, scope } of ROUTES) {
      const at = path.replaceAll(/:(\w+)/g, '{$1}');
      const operation: Operation = document.paths[at][method.toLowerCase()];
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      const names = operation.parameters.map(({ name }) => name);
      expect(names, at).to.have.members(Object.keys(input.shape));
      for (const { name, in: place, required } of operation.parameters) {
        expect([place, required || place === 'query'], `${at} ${name}`).to.deep.equal([
          inPath.includes(name) ? 'path' : 'query',
          true,
        ]);
      }
      expect(operation.requestBody !== undefined, at).to.equal(body !== undefined);
      expect(operation.security, at).to.deep.equal(scope === 'none' ? [] : undefined);
    }
    const ids = operations.map(({ operationId }) => operationId);
    expect([...new Set(ids)]).to.deep.equal(ids);
  });

  it('refers to nothing that it does not have, and names each thing once', () => {
    const text = JSON.stringify(document);
    const refs = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref!);
    const have = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(have).to.include.members(refs);
    expect(have).to.include.members(['Sink', 'Operation', 'Message', 'Error'].map((n) => `#/components/schemas/${n}`));
    expect(text).to.not.match(/\$defs|"\$schema"|"\$id"/);
  });

  it('says what an entry is, and that an edit needs none of it', () => {
    const { SinkEntry, SinkChange, FunctionEntry, DatabaseEntry } = document.components.schemas;
    expect(SinkEntry.required).to.deep.equal(['name', 'database', 'destination']);
    expect(SinkChange).to.not.have.property('required');
    expect(SinkChange.properties.status.anyOf.at(-1)).to.deep.equal({ type: 'null' });
    for (const schema of [SinkEntry, SinkChange, FunctionEntry, DatabaseEntry])
      expect(schema).to.include({ type: 'object', additionalProperties: false });
  });

  it('is there for whoever asks', async () => {
    const all: Managed = await managed();
    try {
      const { status, json } = await all.web.call('GET', '/api/openapi.json', { token: null });
      expect([status, json]).to.deep.equal([200, document]);
    } finally {
      await all.close();
    }
  });
});
