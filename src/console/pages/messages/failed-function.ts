/** The function that failed is named before its error: `document: TypeError: ...`; undefined: nobody knows. */
export const failedFunction = (error: string | null | undefined): string | undefined =>
  /^([^\s:]+): /.exec(error ?? '')?.[1];
