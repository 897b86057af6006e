import type { Skein, TenantEntry } from '@skein/client'
import { PROVIDER_NAMES, providerName, providerNamed } from '@skein/contract/facts'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { formatJson, shorten } from '../../output/clean-text.ts'
import { formatAge } from '../../output/facts.ts'
import { formatTable } from '../../output/table.ts'

const DEFAULT_PROVIDER = 'codehost_app'

interface NamedTenant {
  readonly provider: string
  readonly because: string
}

export function registerTenants(program: Command, context: CommandContext): void {
  const tenants = program
    .command('tenants')
    .summary('manage the tenants of the installation (operators only)')
  registerList(tenants, context)
  registerCreate(tenants, context)
  registerStanding(tenants, context)
  registerExport(tenants, context)
  registerDelete(tenants, context)
}

function registerList(tenants: Command, context: CommandContext): void {
  const command = tenants.command('ls').summary('list tenants')
  withExample(command, 'skein tenants ls').action(async () => {
    const found: TenantEntry[] = []
    for await (const entry of (await context.skein()).tenants.list()) found.push(entry)
    context.print({ tenants: found }, () =>
      formatTable([
        ['PROVIDER', 'ORGANIZATION', 'STATE', 'AGE', 'ID'],
        ...found.map(({ id, tenant, state, createTime }) => [
          providerName(tenant.provider),
          shorten(tenant.org, 60),
          stateName(state),
          formatAge(createTime, Date.now()),
          id,
        ]),
      ]),
    )
  })
}

/** A command about one tenant. */
function aboutTenant(tenants: Command, name: string, summary: string, example: string): Command {
  const command = tenants
    .command(name)
    .summary(summary)
    .argument('<org>', 'the tenant’s organization')
    .option('--provider <name>', `its provider: ${PROVIDER_NAMES.join(', ')}`, DEFAULT_PROVIDER)
    .requiredOption('--because <text>', 'the reason, for the audit log')
  return withExample(command, `skein tenants ${name} ${example}`)
}

function registerCreate(tenants: Command, context: CommandContext): void {
  const summary = 'create a tenant with a key for its first admin, which is shown once'
  aboutTenant(tenants, 'create', summary, 'acme --admin ada --because "a new customer" > key.txt')
    .requiredOption('--admin <account>', 'the account of the first admin')
    .action(async (org: string, options: NamedTenant & { readonly admin: string }) => {
      const skein = await context.skein()
      const tenant = { provider: readProvider(options.provider), org }
      const { because: justification, admin: account } = options
      const created = await skein.tenants.create(tenant, { justification })
      const token = await skein.catalog.put(
        'token',
        'first',
        { account, role: 'admin', description: 'The first key of the tenant.' },
        { tenant, justification, ifGeneration: '0' },
      )
      const key = String(token.document['key'])
      context.print({ tenant: created, token: 'first', key }, () => key)
      if (!context.isJson) context.io.note(`Created ${shorten(org, 60)}. Its key is shown only once.`)
    })
}

function registerStanding(tenants: Command, context: CommandContext): void {
  const suspension = 'refuse its keys, hold its runs and pause its automations'
  aboutTenant(tenants, 'suspend', suspension, 'acme --because "the contract ended"').action(
    async (org: string, { because: justification, provider }: NamedTenant) => {
      const { id, skein } = await findTenant(context, org, provider)
      const tenant = await skein.tenants.suspend(id, { justification })
      context.print({ tenant }, () => `Suspended ${shorten(org, 60)}.`)
    },
  )
  aboutTenant(
    tenants,
    'resume',
    'accept its keys again and resume its runs and automations',
    'acme --because "it was renewed"',
  ).action(async (org: string, { because: justification, provider }: NamedTenant) => {
    const { id, skein } = await findTenant(context, org, provider)
    const tenant = await skein.tenants.resume(id, { justification })
    context.print({ tenant }, () => `Resumed ${shorten(org, 60)}.`)
  })
}

function registerExport(tenants: Command, context: CommandContext): void {
  const summary = 'write everything the database holds about it as JSON lines'
  aboutTenant(tenants, 'export', summary, 'acme --because "asked by Ada" > acme.jsonl').action(
    async (org: string, { because: justification, provider }: NamedTenant) => {
      const { id, skein } = await findTenant(context, org, provider)
      for await (const line of skein.tenants.export(id, { justification })) context.io.print(formatJson(line))
    },
  )
}

function registerDelete(tenants: Command, context: CommandContext): void {
  const summary = 'delete a tenant and all its data; this cannot be undone'
  aboutTenant(tenants, 'delete', summary, 'acme --confirm acme --because "asked by Ada"')
    .requiredOption('--confirm <org>', 'the organization again, to confirm')
    .option('--abandon', 'do not wait for runners to remove what they hold')
    .action(
      async (
        org: string,
        options: NamedTenant & { readonly confirm: string; readonly abandon?: boolean },
      ) => {
        const { because: justification, provider, confirm, abandon } = options
        if (confirm !== org)
          throw new UsageError('--confirm must be the same organization.', 'Nothing was deleted.')
        const { id, skein } = await findTenant(context, org, provider)
        const tenant = await skein.tenants.delete(id, { confirm, abandon, justification })
        context.print(
          { tenant },
          () => `Deleting ${shorten(org, 60)}. skein tenants ls shows it until that is done.`,
        )
      },
    )
}

async function findTenant(
  context: CommandContext,
  org: string,
  provider: string,
): Promise<{ id: string; skein: Skein }> {
  const wanted = readProvider(provider)
  const skein = await context.skein()
  const found = (await skein.tenants.find(org)).find(({ tenant }) => tenant.provider === wanted)
  if (found) return { id: found.id, skein }
  throw new UsageError(
    `Tenant ${shorten(org, 60)} with the provider ${provider} not found.`,
    'List them with: skein tenants ls',
  )
}

function readProvider(name: string): NonNullable<ReturnType<typeof providerNamed>> {
  const provider = providerNamed(name)
  if (provider) return provider
  throw new UsageError(`There is no provider ${shorten(name, 60)}.`, `Use ${PROVIDER_NAMES.join(', ')}.`)
}

function stateName(state: TenantEntry['state']): string {
  return state.replace('TENANT_STATE_', '').toLowerCase()
}
