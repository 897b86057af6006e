import { ConfigSchema } from '@skein/server'
import { GENERATED, table } from './markdown.ts'

/** docs/configuration.md, from the schema that the server reads its environment with. */
export function configurationReference(): string {
  const rows = Object.entries<object>(ConfigSchema.properties).map(([name, setting]) => [
    `\`${name}\``,
    defaultOf(setting),
    'description' in setting ? String(setting.description) : '',
  ])
  return `${GENERATED}

# Configuration

The server reads its settings from environment variables, once, when it starts. A value that breaks its rule stops it with a message that names the variable. An empty variable counts as not set.

${table(['Variable', 'Default', 'What it does'], rows)}

What each command needs: \`migrate\` needs \`SKEIN_OWNER_DATABASE_URL\`; \`bootstrap\` and \`reseal\` need that and \`SKEIN_MASTER_KEY\`; \`serve\` needs \`SKEIN_DATABASE_URL\` and \`SKEIN_MASTER_KEY\`.

Tests read one more: \`SKEIN_TEST_DATABASE_URL\` names a PostgreSQL to use, as a superuser, instead of the one that the test kit starts by itself.
`
}

function defaultOf(setting: object): string {
  const value = 'default' in setting ? setting.default : ''
  return value === '' ? '' : `\`${JSON.stringify(value).replaceAll('"', '')}\``
}
