/** The millrace.yaml of the playground: the same file that a user would write, with what this machine generated. */
import { PLAYGROUND_SLOT } from '../runtime/state.ts';

export interface PlaygroundAddress {
  /** Of the playground database, with user and password. */
  url: string;
  apiToken: string;
}

export const CONSUMER = 'orders-worker';

/** Strings are written as JSON, which is YAML too. `${` would be a variable: neither part can hold it. */
export function playgroundYaml(address: PlaygroundAddress): string {
  return `# The playground. Give your own file by CONFIG_FILE_PATH, and it is not used.
api_tokens:
  - name: playground
    token: ${JSON.stringify(address.apiToken)}
    scopes: [admin]

databases:
  - name: playground
    url: ${JSON.stringify(address.url)}
    ssl: false
    slot: { name: ${PLAYGROUND_SLOT}, create_if_not_exists: true }
    publication: { name: millrace_playground, create_if_not_exists: true }

sinks:
  - name: ${CONSUMER}
    database: playground
    source: { include_tables: [public.orders, public.order_lines] }
    destination: { type: pull }

change_retentions:
  - name: orders-history
    source_database: playground
    source_table_schema: public
    source_table_name: orders
    actions: [insert, update, delete]
    destination_database: playground
    destination_table_schema: public
    destination_table_name: orders_events
    create_if_not_exists: true
`;
}
