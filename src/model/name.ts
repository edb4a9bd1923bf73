/** The form of names. Apart from the declaration's scalars, because whoever only asks needs nothing of what those load. */

/** The characters of a name. */
export const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
export const NAME_LENGTH = 120;
/** A name stands beside ids in addresses and scopes: it must not look like one. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Can something that is declared have this name? */
export const isName = (text: string): boolean => NAME.test(text) && text.length <= NAME_LENGTH && !UUID.test(text);
