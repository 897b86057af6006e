import { isSecretSetting } from '@skein/contract'
import { RunnerConfigSchema } from '@skein/runner'
import { ConfigSchema } from '@skein/server'
import { GENERATED, table } from './markdown.ts'

/** docs/configuration.md, generated from the schemas that server and runner read their environment with. */
export function configurationReference(): string {
  return `${GENERATED}

# Configuration

Server and runner read their settings from environment variables, once, when they start. With an invalid value they do not start, and the error names the variable. An empty variable counts as not set.

**Secrets** can also come from files, such as those that Kubernetes, systemd credentials or a vault agent provide: where the table lists a second variable ending in \`_FILE\`, it names a file with the value. A newline at its end is ignored. Set one of the two variables, not both. Keep the files out of \`/usr\`, which sandboxes can read. A runner that is started as root reads the files before it changes its user.

## The server

${settingsTable(ConfigSchema)}

What each command needs: \`migrate\` needs \`SKEIN_OWNER_DATABASE_URL\`; \`bootstrap\` and \`reseal\` need that and \`SKEIN_MASTER_KEY\`; \`serve\` needs \`SKEIN_DATABASE_URL\` and \`SKEIN_MASTER_KEY\`.

## The runner

${settingsTable(RunnerConfigSchema)}

## Tests

Tests read one more: \`SKEIN_TEST_DATABASE_URL\` names a PostgreSQL to use, as a superuser, instead of the one that the test kit starts. \`SKEIN_POSTGRES_BIN\` names the folder with the programs of another PostgreSQL (\`initdb\` and \`postgres\`) for tests and \`skein dev\`, which start their own.
`
}

function settingsTable({ properties }: { readonly properties: Readonly<Record<string, object>> }): string {
  const rows = Object.entries(properties).map(([name, setting]) => [
    isSecretSetting(setting) ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``,
    defaultOf(setting),
    'description' in setting ? String(setting.description) : '',
  ])
  return table(['Variable', 'Default', 'What it does'], rows)
}

function defaultOf(setting: object): string {
  const value = 'default' in setting ? setting.default : ''
  return value === '' ? '' : `\`${JSON.stringify(value).replaceAll('"', '')}\``
}
