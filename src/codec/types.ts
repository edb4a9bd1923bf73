/**
 * The types of a source, as far as their text form must be understood. Postgres' own are known by their fixed oids. A type that
 * is nowhere is not an error: its values are passed as strings.
 */
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

/** Of `typtype`. */
export const KINDS: Readonly<Record<string, TypeKind>> = {
  b: 'base',
  c: 'composite',
  d: 'domain',
  e: 'enum',
  r: 'range',
  m: 'multirange',
  p: 'pseudo',
};

/** By oid. */
export const builtIn: TypeCatalogue = readBuiltIn();

/** The type with this oid: Postgres' own, else one of `types`; undefined if neither knows it. */
export function typeInfo(types: TypeCatalogue, oid: number): TypeInfo | undefined {
  return builtIn.get(oid) ?? types.get(oid);
}

/** What a domain is made of, however many others are between; of all else the type itself. */
export function baseOf(types: TypeCatalogue, oid: number): number {
  let base = oid;
  // Not more of them than there are types, should a catalogue contradict itself.
  for (let left = types.size; left > 0; left -= 1) {
    const type = typeInfo(types, base);
    if (type?.kind !== 'domain' || type.baseOid === null) break;
    base = type.baseOid;
  }
  return base;
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
