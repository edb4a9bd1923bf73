/**
 * The types of the source, as far as their text form must be understood. Postgres' own are known by their fixed oids, so
 * the usual table asks nothing; others are read from the source's catalog with everything inside them. A type that is
 * in neither place is not an error: its values are passed as strings.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { BUILT_IN } from './types-built-in.ts';

export type TypeKind = 'base' | 'composite' | 'domain' | 'enum' | 'range' | 'multirange' | 'pseudo';

export interface TypeAttribute {
  name: string;
  typeOid: number;
  typmod: number;
}

export interface TypeInfo {
  oid: number;
  schema: string;
  name: string;
  kind: TypeKind;
  /** `typcategory`: `N` numbers, `S` strings, `A` arrays ... */
  category: string;
  /** Set for true arrays only (not for `point` or `name`, which can be subscripted too). */
  elementOid: number | null;
  /** Stands between the elements of an array of this type. */
  delimiter: string;
  baseOid: number | null;
  attributes: readonly TypeAttribute[];
  subtypeOid: number | null;
  /** Name of the extension that made the type. */
  extension: string | null;
}

/** By oid. Look up with `typeInfo`, which knows Postgres' own types too. */
export type TypeCatalogue = ReadonlyMap<number, TypeInfo>;

interface TypeRow {
  oid: number;
  schema: string;
  name: string;
  typtype: string;
  category: string;
  element_oid: number;
  delimiter: string;
  base_oid: number;
  subtype_oid: number;
  extension: string | null;
  attributes: string;
}

const KINDS: Readonly<Record<string, TypeKind>> = {
  b: 'base',
  c: 'composite',
  d: 'domain',
  e: 'enum',
  r: 'range',
  m: 'multirange',
  p: 'pseudo',
};

const TYPES = statement('capture/types');
const builtIn: TypeCatalogue = readBuiltIn();

/** The type with this oid: Postgres' own, else one of `types`; undefined if neither knows it. */
export function typeInfo(types: TypeCatalogue, oid: number): TypeInfo | undefined {
  return builtIn.get(oid) ?? types.get(oid);
}

/**
 * Reads the types `oids` of the source, and all that they are made of, from its catalog. Asks nothing when every one is
 * Postgres' own. Oids that do not exist (any more) are left out. Call it for each Relation message: attributes of a
 * composite type change without notice.
 */
export async function loadTypes(source: Queryable, oids: Iterable<number>): Promise<Map<number, TypeInfo>> {
  const wanted = [...new Set(oids)].filter((oid) => !builtIn.has(oid));
  if (wanted.length === 0) return new Map();
  const { rows } = await source.query<TypeRow>(TYPES, [wanted]);
  return new Map(rows.map((row) => [Number(row.oid), fromRow(row)]));
}

function fromRow(row: TypeRow): TypeInfo {
  return {
    oid: Number(row.oid),
    schema: row.schema,
    name: row.name,
    kind: KINDS[row.typtype] ?? 'base',
    category: row.category,
    elementOid: Number(row.element_oid) || null,
    delimiter: row.delimiter,
    baseOid: Number(row.base_oid) || null,
    attributes: JSON.parse(row.attributes) as TypeAttribute[],
    subtypeOid: Number(row.subtype_oid) || null,
    extension: row.extension,
  };
}

function readBuiltIn(): Map<number, TypeInfo> {
  const types = new Map<number, TypeInfo>();
  const add = (type: Pick<TypeInfo, 'oid' | 'name'> & Partial<TypeInfo>) =>
    types.set(type.oid, {
      schema: 'pg_catalog',
      kind: 'base',
      category: 'U',
      elementOid: null,
      delimiter: ',',
      baseOid: null,
      attributes: [],
      subtypeOid: null,
      extension: null,
      ...type,
    });
  for (const line of BUILT_IN.trim().split('\n')) {
    const [oid, name, arrayOid, category, kind, delimiter, elementOid, subtypeOid] = line.split(' ') as [
      ...[string, string, string, string, string, string, string, string],
    ];
    add({
      oid: Number(oid),
      name,
      category,
      delimiter,
      kind: KINDS[kind] ?? 'base',
      elementOid: Number(elementOid) || null,
      subtypeOid: Number(subtypeOid) || null,
    });
    if (arrayOid !== '0') {
      add({ oid: Number(arrayOid), name: `_${name}`, category: 'A', delimiter, elementOid: Number(oid) });
    }
  }
  return types;
}
