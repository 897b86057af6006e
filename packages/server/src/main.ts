#!/usr/bin/env node
import { ConfigError } from '@skein/contract'
import { bootstrap, BOOTSTRAP_USAGE } from './commands/bootstrap.ts'
import { deleteTenant, DELETE_TENANT_USAGE } from './commands/delete-tenant.ts'
import { exportTenant, EXPORT_TENANT_USAGE } from './commands/export-tenant.ts'
import { migrate } from './commands/migrate.ts'
import { reseal } from './commands/reseal.ts'
import { serve } from './commands/serve.ts'
import { verifyAudit } from './commands/verify-audit.ts'
import { readConfig } from './config.ts'
import { runCommand } from './run-command.ts'
import { readVersion } from './version.ts'

const USAGE = `skein-server <command>

  migrate        migrate the database to the schema of this build
  bootstrap      create the first tenant, admin and key
  serve          serve the API
  reseal         re-encrypt every stored secret with the first master key
  export-tenant  write all data of a tenant to standard output
  delete-tenant  delete a tenant and all its data
  verify-audit   find entries that were removed from, added to or changed in an audit log
  version        print the version of this build

Settings come from the environment: see docs/configuration.md.

${BOOTSTRAP_USAGE}

${EXPORT_TENANT_USAGE}

${DELETE_TENANT_USAGE}`

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function main([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'migrate':
      return migrate(readConfig(process.env), print)
    case 'bootstrap':
      return bootstrap(readConfig(process.env), args, print)
    case 'serve':
      return serve(readConfig(process.env))
    case 'reseal':
      return reseal(readConfig(process.env), print)
    case 'export-tenant':
      return exportTenant(readConfig(process.env), args)
    case 'delete-tenant':
      return deleteTenant(readConfig(process.env), args, print)
    case 'verify-audit':
      return verifyAudit(readConfig(process.env), print)
    case 'version':
    case '--version':
      return print(readVersion())
    default:
      throw new ConfigError(USAGE)
  }
}

await runCommand(USAGE, main)
