import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { ConfigError } from '@skein/contract'
import { exportTenant as exportRows } from '@skein/engine'
import { requireSetting, type Config } from '../config.ts'
import { openResources } from '../resources.ts'
import { readProvider } from './read-provider.ts'

export const EXPORT_TENANT_USAGE = `skein-server export-tenant --org <name> [--provider <name>] > <file>

Writes everything the database holds of a tenant to standard output, as JSON lines, without credentials.

  --org <name>              the tenant's organization
  --provider <name>         the tenant's provider (default codehost_app)`

export async function exportTenant(config: Config, args: string[]): Promise<void> {
  const { org, provider } = readOptions(args)
  if (!org) throw new ConfigError(`--org is required.\n\n${EXPORT_TENANT_USAGE}`)
  const engine = openResources(config, requireSetting(config, 'SKEIN_OWNER_DATABASE_URL'))
  try {
    const tenant = { provider: readProvider('--provider', provider), org }
    const isFound = await exportRows(engine, tenant, async (line) => {
      if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
    })
    if (!isFound) throw new ConfigError(`There is no tenant ${org} with the provider ${provider}.`)
  } finally {
    await engine.database.close()
  }
}

function readOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { org: { type: 'string' }, provider: { type: 'string', default: 'codehost_app' } },
    }).values
  } catch (error) {
    throw new ConfigError(
      `${error instanceof Error ? error.message : String(error)}\n\n${EXPORT_TENANT_USAGE}`,
    )
  }
}
