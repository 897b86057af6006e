import { once } from 'node:events'
import { ConfigError } from '@skein/contract'
import { exportTenant as exportRows } from '@skein/engine'
import { findAnyTenant } from '@skein/store'
import type { Config } from '../config.ts'
import { asOwner } from './as-owner.ts'
import { readOptions } from './read-options.ts'
import { readProvider } from './read-provider.ts'

export const EXPORT_TENANT_USAGE = `skein-server export-tenant --org <name> [--provider <name>] > <file>

Writes everything the database holds about a tenant to standard output, as JSON lines, without credentials.

  --org <name>              the tenant's organization
  --provider <name>         the tenant's provider (default codehost_app)`

const OPTIONS = { org: { type: 'string' }, provider: { type: 'string', default: 'codehost_app' } } as const

export async function exportTenant(config: Config, args: string[]): Promise<void> {
  const { org, provider } = readOptions(EXPORT_TENANT_USAGE, args, OPTIONS)
  if (!org) throw new ConfigError(`--org is required.\n\n${EXPORT_TENANT_USAGE}`)
  const tenant = { provider: readProvider('--provider', provider), org }
  await asOwner(config, async (engine) => {
    const found = await engine.database.withoutTenant((transaction) => findAnyTenant(transaction, tenant))
    if (!found) throw new ConfigError(`Tenant ${org} with the provider ${provider} not found.`)
    await exportRows(engine, { id: found.id, tenant }, async (line) => {
      if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
    })
  })
}
