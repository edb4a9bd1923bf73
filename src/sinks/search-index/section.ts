/** `destination:` of a search index. */
import { z } from 'zod';
import type { Destination } from '../../model/declared.ts';
import type { Finding } from '../../model/finding.ts';
import { MASK } from '../../model/masked.ts';
import { int, refuseMask, Tls } from '../../model/scalars.ts';
import { refusal, refuse } from '../../model/section.ts';
import { withoutTrailing } from '../../model/trailing.ts';
import { hostRefusal } from '../../runtime/addresses.ts';
import type { SinkSection } from '../contract.ts';

export interface SearchDestination extends Destination {
  type: 'elasticsearch';
  endpoint_url: string;
  index_name: string;
  auth_type: 'api_key' | 'basic' | 'bearer' | 'none';
  batch_size: number;
  batch_bytes: number;
  compression: 'none' | 'gzip';
  versioning: 'external' | 'none';
  tls: { ca: string | null; verify: boolean };
}

const IndexName = z
  .string()
  .refine(
    (name) => /^[^\\/*?"<>|,#:A-Z\s\p{Cc}]+$/u.test(name) && !/^[-_+]/.test(name) && name !== '.' && name !== '..',
    refusal('is not a name that a search engine takes', 'Use lower-case letters, digits, `-`, `_` and `.`.'),
  )
  .refine(
    (name) => Buffer.byteLength(name) <= 255,
    refusal('is longer than 255 bytes', 'Shorten it: search engines take no longer one.'),
  );

const EndpointUrl = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    const remedy = 'Write the base URL of the cluster, as https://search.example.com:9200.';
    refuse(context, [], { message: 'must be an http:// or https:// URL', remedy });
  } else if (url.username !== '' || url.password !== '') {
    const remedy = 'Use `auth_type: basic` and `auth_value: user:password`.';
    refuse(context, [], { message: 'must not contain credentials', remedy });
  } else if (url.search !== '' || url.hash !== '') {
    const remedy = 'Remove what follows the `?` or `#`; the index goes into `index_name`.';
    refuse(context, [], { message: 'must be a base URL', remedy });
  }
  const refusal = url && hostRefusal(url.hostname);
  if (refusal)
    refuse(context, [], { message: `cannot be connected to: ${refusal.message}`, remedy: `${refusal.remedy}.` });
});

const keys = {
  endpoint_url: EndpointUrl,
  index_name: IndexName,
  auth_type: z.enum(['api_key', 'basic', 'bearer', 'none']).default('api_key'),
  auth_value: z.string().superRefine(refuseMask).nullable().optional(),
  batch_size: int(1, 10_000).default(100),
  batch_bytes: int(1024, 104_857_600).default(8_388_608),
  compression: z.enum(['none', 'gzip']).default('none'),
  versioning: z.enum(['external', 'none']).default('external'),
  tls: Tls,
};

type Input = z.output<z.ZodObject<typeof keys>>;

export const searchSection: SinkSection<Input> = {
  title: 'search index',
  keys,
  secrets: {
    open: (secret) => ({ auth_value: secret }),
    close: (given) => (given as { auth_value: string }).auth_value,
    masked: () => ({ auth_value: MASK }),
  },
  write(destination) {
    const { auth_type } = destination as SearchDestination;
    return { ...destination, ...(auth_type === 'none' ? {} : { auth_value: '' }) };
  },
  least(destination) {
    const { endpoint_url, index_name } = destination as SearchDestination;
    return { endpoint_url, index_name, auth_type: 'none' };
  },
  read(input, context) {
    checkCredential(input, context);
    const { auth_value, endpoint_url, ...rest } = input;
    const secret = input.auth_type === 'none' || !auth_value ? null : auth_value;
    const settings: SearchDestination = {
      ...rest,
      type: 'elasticsearch',
      endpoint_url: withoutTrailing(endpoint_url, '/'),
    };
    return { settings, secret, notes: credentialNotes(settings, secret) };
  },
};

function checkCredential(input: Input, context: z.core.$RefinementCtx): void {
  const value = input.auth_value;
  const complain = (message: string, remedy: string): void => refuse(context, ['auth_value'], { message, remedy });
  if (input.auth_type === 'none') {
    // What was stored goes with the type that it was for.
    if (value && value !== MASK)
      complain('is given with `auth_type: none`', 'Name the type: api_key, basic or bearer.');
    return;
  }
  if (value === undefined) {
    complain('is missing', 'Add `auth_value:`, or `auth_type: none` for a cluster without authentication.');
  } else if (value && value !== MASK) {
    if (input.auth_type === 'basic' && !value.includes(':'))
      complain('must be `user:password`', 'Join both by a colon.');
    if (input.auth_type === 'basic' ? /\p{Cc}/u.test(value) : !/^[\x21-\x7e]+$/.test(value)) {
      complain('holds a space, a line break or another character that no header takes', 'Remove it.');
    }
  }
}

function credentialNotes({ auth_type }: SearchDestination, secret: string | null): Finding[] {
  if (auth_type === 'none' || secret !== null) return [];
  const message = 'is empty: requests carry no credential';
  return [{ path: ['auth_value'], message, remedy: 'Set it, or write `auth_type: none`.' }];
}
