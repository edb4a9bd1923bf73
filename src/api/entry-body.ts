/**
 * The body of a route that makes or changes a thing: an entry of the file. It is read where it is merged with what is stored, so
 * the form is here for whoever reads the document of the API; keys that only answers have are ignored there.
 */
import { z } from 'zod';
import { ENTRIES, type List } from '../catalog/declare/one.ts';

type Json = Record<string, unknown>;
type Body = z.ZodObject<Record<never, never>, z.core.$loose>;

const NAMES: Record<List, string> = {
  sinks: 'Sink',
  change_retentions: 'ChangeRetention',
  databases: 'Database',
  functions: 'Function',
};
const Form = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})),
  required: z.array(z.string()).optional(),
});

/** Sequin's way to name both. */
const SLOTS: Json = {
  type: 'array',
  items: { type: 'object', properties: { slot_name: { type: 'string' }, publication_name: { type: 'string' } } },
};

const made = new Map<string, Body>();

/** All that something new needs. */
export const entryBody = (list: List): Body => bodyOf(list, `${NAMES[list]}Entry`, (form) => form);

/** What differs: any of its keys, and null for the default. */
export const changeBody = (list: List): Body => bodyOf(list, `${NAMES[list]}Change`, changing);

function bodyOf(list: List, id: string, form: (whole: Json) => Json): Body {
  const known = made.get(id);
  if (known) return known;
  const whole: Json = JSON.parse(
    JSON.stringify(z.toJSONSchema(ENTRIES[list], { io: 'input', unrepresentable: 'any' })),
  );
  const { $schema: _, ...rest } = whole;
  if (list === 'databases') rest.properties = { ...(rest.properties as Json), replication_slots: SLOTS };
  const description = `The keys of an entry of \`${list}:\``;
  const body = z.looseObject({}).meta({ ...form(rest), id, description, additionalProperties: false });
  made.set(id, body);
  return body;
}

function changing(whole: Json): Json {
  const { required: _, properties, ...rest } = Form.parse(whole);
  const all = Object.entries(properties).map(([key, schema]) => [key, { anyOf: [partOf(schema), { type: 'null' }] }]);
  return { ...rest, properties: Object.fromEntries(all) };
}

/** One level down it is the same. */
function partOf(schema: Json): Json {
  if (Array.isArray(schema.oneOf)) return { anyOf: schema.oneOf.map(partOf) };
  return schema.type === 'object' && 'properties' in schema ? changing(schema) : schema;
}
