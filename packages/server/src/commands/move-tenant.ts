import { ConfigError } from '@skein/contract'
import { cancelMove, moveTenant as move, removeLeft, Vault } from '@skein/engine'
import { mapKeyOfTenant } from '@skein/core'
import { movedKeys, MoveConnection } from '@skein/store'
import { masterKeys, requireSetting, type Config } from '../config.ts'
import { asOwner } from './as-owner.ts'
import { readOptions } from './read-options.ts'
import { readProvider } from './read-provider.ts'

/** Servers reject a key within 5 seconds; a request may take a few more. */
const SETTLE_MS = 15_000
const DAY_MS = 86_400_000

export const MOVE_TENANT_USAGE = `skein-admin tenant move --org <name> --to <cell> [options]

Moves a tenant to another cell while its agents run. If the command is interrupted, run it again: it continues. Runs in
progress have time to end; the rest are interrupted and continue in the other cell. Near the end, requests fail for a
while with an error that clients retry.

Settings of the cell that the tenant leaves: the same as for its servers, with SKEIN_CELL, SKEIN_OWNER_DATABASE_URL,
SKEIN_MASTER_KEY and, if old events are moved out of its database, SKEIN_BLOBS. Settings of the other cell:
SKEIN_TARGET_OWNER_DATABASE_URL and SKEIN_TARGET_MASTER_KEY. Connect directly, not through a pooler.

Prints progress on standard error, and at the end, on standard output, lines for the load balancer; run it again to get
them again. Exits with 0 only if everything is done.

  --org <name>              the tenant's organization
  --to <cell>               the cell it moves to (its SKEIN_CELL)
  --provider <name>         the tenant's provider (default codehost_app)
  --drain-seconds <number>  how long runs in progress have to end (default 60)
  --wait-seconds <number>   how long to wait for interrupted runs to stop (default 300)
  --cancel                  cancel the move; not possible after the switch
  --remove-source           after the switch, delete what the tenant left behind`

const OPTIONS = {
  org: { type: 'string' },
  to: { type: 'string' },
  provider: { type: 'string', default: 'codehost_app' },
  'drain-seconds': { type: 'string', default: '60' },
  'wait-seconds': { type: 'string', default: '300' },
  cancel: { type: 'boolean', default: false },
  'remove-source': { type: 'boolean', default: false },
} as const

export async function moveTenant(
  config: Config,
  args: string[],
  print: (line: string) => void,
): Promise<void> {
  const { org, to, provider, cancel, ...rest } = readOptions(MOVE_TENANT_USAGE, args, OPTIONS)
  if (!org || !to) throw new ConfigError(`--org and --to are required.\n\n${MOVE_TENANT_USAGE}`)
  if (!/^[a-z0-9]{1,8}$/.test(to))
    throw new ConfigError('--to must be the SKEIN_CELL of the other cell: 1 to 8 characters of a-z and 0-9.')
  if (cancel && rest['remove-source']) throw new ConfigError('Choose --cancel or --remove-source.')
  const tenant = { provider: readProvider('--provider', provider), org }
  const [drainMs, patienceMs] = [rest['drain-seconds'], rest['wait-seconds']].map(readSeconds)
  const vaults = [
    new Vault(masterKeys(config)),
    new Vault(masterKeys(config, 'SKEIN_TARGET_MASTER_KEY')),
  ] as const
  const sourceUrl = requireSetting(config, 'SKEIN_OWNER_DATABASE_URL')
  const targetUrl = requireSetting(config, 'SKEIN_TARGET_OWNER_DATABASE_URL')
  await asOwner(config, async (engine) => {
    const source = await MoveConnection.open(sourceUrl)
    try {
      // Otherwise a tenant could not come back from a cell that is down.
      const target = await (cancel ? openIfUp(targetUrl) : MoveConnection.open(targetUrl))
      try {
        const from = { name: config.SKEIN_CELL, connection: source, vault: vaults[0] }
        if (!target) {
          await cancelMove({ source: from, target: { name: to }, tenant, onProgress })
          return print(
            `The move of ${org} is cancelled. Repeat it when ${to} is up, to delete what was copied.`,
          )
        }
        const cells = { source: from, target: { name: to, connection: target, vault: vaults[1] } }
        const given = {
          cells,
          segments: engine.segments,
          tenant,
          drainMs: drainMs ?? 0,
          patienceMs: patienceMs ?? 0,
          settleMs: SETTLE_MS,
          auditRetentionMs: config.SKEIN_AUDIT_RETENTION_DAYS * DAY_MS,
          onProgress,
        }
        if (cancel) {
          await cancelMove({ ...cells, tenant, onProgress })
          return print(`The move of ${org} is cancelled.`)
        }
        if (rest['remove-source']) {
          await removeLeft(engine, given)
          return print(`What ${org} left behind in ${config.SKEIN_CELL} is deleted.`)
        }
        const { tenantId } = await move(given)
        print(`Tenant ${org} (${tenantId}) has moved to ${to}. For the load balancer (docs/scaling.md):`)
        print(`tenants.map: ${mapKeyOfTenant(tenant)} ${to}`)
        for await (const keyId of movedKeys(target, tenantId, to)) print(`moved.map: ${keyId} ${to}`)
      } finally {
        await target?.close()
      }
    } finally {
      await source.close()
    }
  })
}

function onProgress(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function openIfUp(url: string): Promise<MoveConnection | undefined> {
  return MoveConnection.open(url).catch(() => undefined)
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (!(seconds >= 0)) throw new ConfigError('--drain-seconds and --wait-seconds must be numbers.')
  return seconds * 1000
}
