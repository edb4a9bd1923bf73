/** Each body of each route with one field wrong: that field is named among all that is wrong, and nothing is an error of ours. */
import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../../src/api/route.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { type Managed, managed } from './support.ts';

interface Field {
  route: Route;
  field: string;
}

const Form = z.looseObject({
  properties: z.looseObject({}).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
});

function fieldsOf(schema: unknown): string[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = Form.parse(schema);
  return [...new Set([...Object.keys(properties), ...[...anyOf, ...oneOf, ...allOf].flatMap(fieldsOf)])];
}

/** PUT is PATCH. */
const FIELDS: Field[] = ROUTES.flatMap((route) => {
  if (route.body === undefined || route.method === 'PUT') return [];
  // An entry of the file says in its description what it has.
  const schemas = [z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }), route.body.meta() ?? {}];
  return [...new Set([...schemas.flatMap(fieldsOf), 'unknown'])].map((field) => ({ route, field }));
});

/** What no field takes. */
const never = fc.array(fc.array(fc.record({ nonsense: fc.jsonValue() }), { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 2,
});
const value = fc.oneof(
  fc.record({ value: never, isWrong: fc.constant(true) }),
  fc.record({ value: fc.jsonValue(), isWrong: fc.constant(false) }),
);

describe('api: a wrong field of a body', function () {
  this.timeout(120_000);
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const pathOf = ({ path }: Route): string =>
    path
      .replace(':sink', path.includes('change_retentions') ? 'history' : 'orders')
      .replace(':database', 'shop')
      .replace(':function', 'document')
      .replace(/messages\/:id/, 'messages/1')
      .replace(':id', '00000000-0000-4000-8000-000000000000')
      .replaceAll(/:\w+/g, '1');
  const isRefused = ({ body, texts }: Route, field: string, given: unknown): boolean => {
    if (texts) return false;
    const parsed = body!.safeParse({ [field]: given });
    return !parsed.success && parsed.error.issues.some(({ path }) => path[0] === field);
  };

  it('is named, in every body', async () => {
    expect(FIELDS.length).to.be.at.least(300);
    for (const { route, field } of FIELDS) {
      await fc.assert(
        fc.asyncProperty(value, async ({ value: given, isWrong }) => {
          // One that is not known, for the other may happen to be right.
          const sent = { name: 'never', nonsense: 1, [field]: given };
          const { status, json, text } = await all.web.call(route.method, pathOf(route), { body: sent });
          const what = `${route.method} ${route.path} ${JSON.stringify(sent)}: ${text}`;
          expect(status, what).to.equal(422);
          const named = Object.keys(json.validation_errors).map((name) => name.split(/[.[]/)[0]);
          // What cannot be changed, or stands for other fields, is refused before the others are looked at.
          expect(named, what).to.include.oneOf(['nonsense', field]);
          if (isWrong || isRefused(route, field, given)) expect(named, what).to.include(field);
        }),
        { numRuns: 1 },
      );
    }
  });
});
