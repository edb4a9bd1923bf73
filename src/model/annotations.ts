/** The optional column of a change table that says who made a change, and its key in a message's metadata. */
export const ANNOTATIONS = 'transaction_annotations';
