/** The routes as an OpenAPI document: the same schemas that read requests and hold answers. */
import { z } from 'zod';
import { VERSION } from '../runtime/version.ts';
import { ErrorShape } from './error-shape.ts';
import { type Route, route } from './route.ts';

type Json = Record<string, unknown>;

/** OpenAPI 3.1. */
export function openApiOf(routes: readonly Route[]): Json {
  const schemas: Json = {};
  const schemaOf = (schema: z.ZodType): Json => hoisted(schema, schemas);
  schemaOf(ErrorShape);
  const paths = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return {
    openapi: '3.1.0',
    info: { title: 'Millrace', version: VERSION },
    paths: Object.fromEntries(
      [...paths].map(([path, ofPath]) => [
        path,
        Object.fromEntries(ofPath.map((one) => [one.method.toLowerCase(), operationOf(one, schemaOf)])),
      ]),
    ),
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
  };
}

function operationOf(one: Route, schemaOf: (schema: z.ZodType) => Json): Json {
  const { method, path, scope, summary, body, answer, sql, begins, creates } = one;
  const answered = { content: { 'application/json': { schema: schemaOf(answer) } } };
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/\W+/g, '_')}`,
    summary,
    description: `${SCOPES[scope] ?? `Scope: \`${scope}\`.`}${sql === null ? '' : ` From psql: \`${sql}\`.`}`,
    ...(scope === 'none' ? { security: [] } : {}),
    parameters: parametersOf(one, schemaOf(one.input)),
    ...(body === undefined ? {} : { requestBody: { content: { 'application/json': { schema: schemaOf(body) } } } }),
    responses: {
      [creates ?? 200]: {
        description: creates === undefined ? 'Done' : 'Made: `Location` says where it is',
        ...answered,
      },
      ...(begins ? { 202: { description: 'Begun: `Location` says where to watch it', ...answered } } : {}),
      default: {
        description: 'Refused, or failed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

const SCOPES: Record<string, string> = { any: 'Whoever has a token.', none: 'Without a token, too.' };

function parametersOf({ path }: Route, input: Json): Json[] {
  const { properties, required } = Input.parse(input);
  return Object.entries(properties).map(([name, schema]) => {
    const inPath = path.split('/').includes(`:${name}`);
    return { name, in: inPath ? 'path' : 'query', required: inPath || required.includes(name), schema };
  });
}

const Input = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

const PLACE = '#/components/schemas/';

/** The schema, with those in it that have a name of their own put among `schemas`. */
function hoisted(schema: z.ZodType, schemas: Json): Json {
  const { id } = schema.meta() ?? {};
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const { $schema: _, $defs = {}, ...own } = Document.parse(JSON.parse(text.replaceAll('"#/$defs/', `"${PLACE}`)));
  for (const [name, named] of Object.entries($defs)) schemas[name] ??= withoutId(named);
  if (id === undefined) return own;
  schemas[id] ??= withoutId(own);
  return { $ref: `${PLACE}${id}` };
}

const Document = z.looseObject({ $defs: z.record(z.string(), z.looseObject({})).optional() });

/** zod writes the name of a schema into it; its place says that. */
const withoutId = ({ id: _, $id: __, ...rest }: Json): Json => rest;

/** `routes`: all of them. */
export function openApiRoute(routes: () => readonly Route[]): Route {
  let document: Json | undefined;
  return route({
    method: 'GET',
    path: '/api/openapi.json',
    scope: 'none',
    summary: 'This API as an OpenAPI document',
    input: z.strictObject({}),
    answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
    sql: null,
    async run() {
      document ??= openApiOf(routes());
      return { openapi: '3.1.0', paths: {}, ...document };
    },
  });
}
