/** Who has the say in a thing of the file, as answers have it. */
import { z } from 'zod';

export const STANDING = {
  managed_by: z.enum(['file', 'api']),
  declared_from: z.string().nullable(),
  entry_name: z
    .string()
    .nullable()
    .meta({
      description:
        'What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its ' +
        'entry, or none.',
    }),
};
