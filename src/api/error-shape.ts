/** How every refusal and failure is told. Facts may stand beside it: `needs`, `id`, `state`. */
import { z } from 'zod';

export const ErrorShape = z
  .looseObject({
    code: z.string(),
    summary: z.string(),
    remedy: z.string().optional(),
    validation_errors: z.record(z.string(), z.array(z.string())).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });
