/** `millrace openapi`. */
import type { Command } from 'commander';

export function addOpenApiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the management API; needs neither a service nor a database')
    .addHelpText('after', '\nExamples:\n  bin/millrace openapi > openapi.json\n')
    .action(async () => {
      const { askWithoutDatabase } = await import('./client/in-process.ts');
      const { text } = await askWithoutDatabase({ route: 'GET /api/openapi.json' });
      process.stdout.write(`${text}\n`);
    });
}
