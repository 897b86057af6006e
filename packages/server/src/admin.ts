#!/usr/bin/env node
import { ConfigError } from '@skein/contract'
import { moveTenant, MOVE_TENANT_USAGE } from './commands/move-tenant.ts'
import { readConfig } from './config.ts'
import { runCommand } from './run-command.ts'
import { readVersion } from './version.ts'

const USAGE = `skein-admin <command>

  tenant move  move a tenant to another cell
  version      print the version of this build

Settings come from the environment: see docs/configuration.md.

${MOVE_TENANT_USAGE}`

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function main([subject, action, ...args]: string[]): Promise<void> {
  if (subject === 'tenant' && action === 'move') return moveTenant(readConfig(process.env), args, print)
  if (subject === 'version' || subject === '--version') return print(readVersion())
  throw new ConfigError(USAGE)
}

await runCommand(USAGE, main)
