import { parseArgs } from 'node:util'
import { ConfigError, type Provider } from '@skein/contract'
import { isName, PROVIDER_NAMES, providerNamed } from '@skein/contract/facts'
import { bootstrap as createFirstTenant } from '@skein/engine'
import { requireSetting, type Config } from '../config.ts'
import { openResources } from '../resources.ts'

export const BOOTSTRAP_USAGE = `skein-server bootstrap --org <name> --account <name> [options]

Creates a tenant, and a token in it whose key is printed once. Running it again changes nothing.

  --org <name>              the tenant's organization
  --account <name>          whom the key acts for
  --provider <name>         the tenant's provider (default codehost_app)
  --owner-provider <name>   the account's provider (default codehost_oauth)
  --role <role>             admin or operator (default admin)
  --token <name>            the token resource's name (default bootstrap)
  --json                    print one line of JSON`

export async function bootstrap(
  config: Config,
  args: string[],
  print: (line: string) => void,
): Promise<void> {
  const values = readOptions(args)
  const { org, account, role, token } = values
  if (!org || !account) throw new ConfigError(`--org and --account are required.\n\n${BOOTSTRAP_USAGE}`)
  if (role !== 'admin' && role !== 'operator') throw new ConfigError('--role must be admin or operator.')
  if (!isName(token)) throw new ConfigError('--token must be 1 to 63 of a-z, 0-9 and -.')
  const engine = openResources(config, requireSetting(config, 'SKEIN_OWNER_DATABASE_URL'))
  try {
    const tenant = { provider: readProvider('--provider', values.provider), org }
    const ownerProvider = readProvider('--owner-provider', values['owner-provider'])
    const result = await createFirstTenant(engine, { tenant, ownerProvider, account, role, token })
    if (values.json) return print(JSON.stringify({ ...result, key: result.key ?? '' }))
    print(`Tenant ${org} ${result.isNewTenant ? 'created' : 'exists'}.`)
    if (result.key === undefined)
      return print(`Token ${token} exists; its key was shown when it was created.`)
    print(
      `Token ${token} created for ${account} with the role ${role}. Its key, shown only now:\n\n${result.key}\n`,
    )
  } finally {
    await engine.database.close()
  }
}

function readOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        org: { type: 'string' },
        account: { type: 'string' },
        provider: { type: 'string', default: 'codehost_app' },
        'owner-provider': { type: 'string', default: 'codehost_oauth' },
        role: { type: 'string', default: 'admin' },
        token: { type: 'string', default: 'bootstrap' },
        json: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}\n\n${BOOTSTRAP_USAGE}`)
  }
}

function readProvider(option: string, name: string): Provider {
  const provider = providerNamed(name)
  if (provider) return provider
  throw new ConfigError(`${option} must be one of ${PROVIDER_NAMES.join(', ')}.`)
}
