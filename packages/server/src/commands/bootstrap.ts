import { constants } from 'node:fs'
import { access, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { bootstrap as createFirstTenant } from '@skein/engine'
import type { Config } from '../config.ts'
import { asOwner } from './as-owner.ts'
import { readOptions } from './read-options.ts'
import { readProvider } from './read-provider.ts'

export const BOOTSTRAP_USAGE = `skein-server bootstrap --org <name> --account <name> [options]

Creates a tenant, and a token in it whose key is printed once. Running it again changes nothing.

  --org <name>              the tenant's organization
  --account <name>          the account the key acts for
  --provider <name>         the tenant's provider (default codehost_app)
  --owner-provider <name>   the account's provider (default codehost_oauth)
  --role <role>             admin, operator or runner (default admin)
  --pool <name>             a pool that the runner serves; can be repeated (default: default)
  --token <name>            the token resource's name (default bootstrap)
  --key-file <path>         write the key to this file, readable only by its owner, instead of printing it
  --json                    print one line of JSON`

const OPTIONS = {
  org: { type: 'string' },
  account: { type: 'string' },
  provider: { type: 'string', default: 'codehost_app' },
  'owner-provider': { type: 'string', default: 'codehost_oauth' },
  role: { type: 'string', default: 'admin' },
  pool: { type: 'string', multiple: true },
  token: { type: 'string', default: 'bootstrap' },
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

export async function bootstrap(
  config: Config,
  args: string[],
  print: (line: string) => void,
): Promise<void> {
  const values = readOptions(BOOTSTRAP_USAGE, args, OPTIONS)
  const { org, account, role, token } = values
  if (!org || !account) throw new ConfigError(`--org and --account are required.\n\n${BOOTSTRAP_USAGE}`)
  if (role !== 'admin' && role !== 'operator' && role !== 'runner')
    throw new ConfigError('--role must be admin, operator or runner.')
  if (!isName(token)) throw new ConfigError('--token must be 1 to 63 of a-z, 0-9 and -.')
  const pools = readPools(role, values.pool)
  const keyFile = values['key-file']
  if (keyFile !== undefined) await checkKeyFile(keyFile)
  const tenant = { provider: readProvider('--provider', values.provider), org }
  const ownerProvider = readProvider('--owner-provider', values['owner-provider'])
  await asOwner(config, async (engine) => {
    const result = await createFirstTenant(engine, { tenant, ownerProvider, account, role, pools, token })
    if (keyFile !== undefined) return print(await storeKey(keyFile, token, result.key))
    if (values.json) return print(JSON.stringify({ ...result, key: result.key ?? '' }))
    print(`Tenant ${org} ${result.isNewTenant ? 'created' : 'exists'}.`)
    if (result.key === undefined)
      return print(`Token ${token} exists; its key was shown when it was created.`)
    print(
      `Token ${token} created for ${account} with the role ${role}. Its key, shown only once:\n\n${result.key}\n`,
    )
  })
}

function readPools(role: string, pools: readonly string[] | undefined): readonly string[] {
  if (role === 'runner') {
    if (pools?.every(isName) === false) throw new ConfigError('--pool must be 1 to 63 of a-z, 0-9 and -.')
    return pools ?? ['default']
  }
  if (pools) throw new ConfigError('--pool is only for --role runner.')
  return []
}

/** Before the token exists, because its key can be had only once. */
async function checkKeyFile(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK)
  } catch {
    throw new ConfigError(`--key-file: ${dirname(path)} does not exist or cannot be written.`)
  }
}

/** Started again, as by every start of a container, it finds the file of the first time and changes nothing. */
async function storeKey(path: string, token: string, key: string | undefined): Promise<string> {
  if (key !== undefined) {
    await writeFile(path, `${key}\n`, { mode: 0o600 })
    return `Token ${token} created. Its key is in ${path}.`
  }
  const stored = await readFile(path, 'utf8').catch(() => '')
  if (stored.startsWith('skn_')) return `Token ${token} exists. Its key is in ${path}.`
  throw new ConfigError(
    `Token ${token} exists, but its key is not in ${path} and cannot be shown again. Choose another name with --token.`,
  )
}
