import { ConfigError } from '@skein/contract'
import { deleteTenant as deleteEverything } from '@skein/engine'
import type { HeldLeftovers } from '@skein/store'
import type { Config } from '../config.ts'
import { asOwner } from './as-owner.ts'
import { readOptions } from './read-options.ts'
import { readProvider } from './read-provider.ts'

/** Servers reject a revoked key within 5 seconds; a request may take a few more. */
const SETTLE_MS = 15_000

export const DELETE_TENANT_USAGE = `skein-server delete-tenant --org <name> --confirm <name> [options]

Deletes a tenant and all its data. Its keys stop working, its agents are killed, runners remove their
conversations, unfinished work and folders, and then all rows are deleted. It can't be undone. If it is interrupted,
run it again.

  --org <name>              the tenant's organization
  --confirm <name>          the same name again
  --provider <name>         the tenant's provider (default codehost_app)
  --wait-minutes <number>   how long to wait for runners without progress (default 70; they check once an hour)
  --abandon                 don't wait for runners to remove what they hold
  --moved                   the tenant has moved to another cell and is deleted there: delete what it left here. This is
                            not checked; while the other cell serves it, use "skein-admin tenant move --remove-source"
  --json                    print one line of JSON with the rows deleted from each table`

const OPTIONS = {
  org: { type: 'string' },
  confirm: { type: 'string' },
  provider: { type: 'string', default: 'codehost_app' },
  'wait-minutes': { type: 'string', default: '70' },
  abandon: { type: 'boolean', default: false },
  moved: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

export async function deleteTenant(
  config: Config,
  args: string[],
  print: (line: string) => void,
): Promise<void> {
  const { org, confirm, provider, abandon, moved, json, ...rest } = readOptions(
    DELETE_TENANT_USAGE,
    args,
    OPTIONS,
  )
  if (!org || confirm !== org)
    throw new ConfigError(`--org and --confirm must both name the tenant.\n\n${DELETE_TENANT_USAGE}`)
  const waitMinutes = Number(rest['wait-minutes'])
  if (!(waitMinutes >= 0)) throw new ConfigError('--wait-minutes must be a number.')
  const tenant = { provider: readProvider('--provider', provider), org }
  await asOwner(config, async (engine) => {
    const result = await deleteEverything(engine, {
      tenant,
      patienceMs: waitMinutes * 60_000,
      abandonsLeftovers: abandon,
      isLeft: moved,
      settleMs: SETTLE_MS,
      onProgress: (text) => void process.stderr.write(`${text}\n`),
    })
    switch (result.state) {
      case 'not-found':
        throw new ConfigError(`Tenant ${org} with the provider ${provider} not found.`)
      case 'held': {
        const pools = result.held.map(describeHeld).join(', ')
        throw new ConfigError(
          `The tenant is closed, but runners of these pools still hold its data and are not removing it: ${pools}. ` +
            'Start a runner for them and run this again, or add --abandon and remove the data yourself.',
        )
      }
      case 'deleted': {
        const total = Object.values(result.rows).reduce((sum, rows) => sum + rows, 0)
        print(json ? JSON.stringify(result) : `Tenant ${org} deleted: ${total} rows.`)
      }
    }
  })
}

function describeHeld({ pool, amount, failed }: HeldLeftovers): string {
  return failed === 0
    ? `${pool} (${amount} agents)`
    : `${pool} (${amount} agents; removing the data of ${failed} failed, see the logs of the runners)`
}
