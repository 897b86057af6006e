import { SkeinError, type Provider } from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import { requireJustification, requirePermission, type Caller } from '@skein/core'
import { PersonGrantStore, PersonLinkStore, PersonStore, type LinkedPerson } from '@skein/store'
import { recordAudit } from '../../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../../commands/command.ts'
import { carryOutTenantCommand } from '../../commands/tenant-command.ts'
import type { EngineResources } from '../../resources.ts'

interface Unlinked {
  /** The identity provider of the account that is no longer linked. */
  readonly name: string
  /** For admins. Undefined for the caller's own. */
  readonly of: { readonly ownerProvider: Provider; readonly account: string } | undefined
}

/** Takes one account away from the others of its person. What it has done stays. */
export function unlinkAccount(
  engine: EngineResources,
  context: CommandContext,
  { name, of }: Unlinked,
): Promise<CommandOutcome<Record<string, never>>> {
  const { caller } = context
  if (of) {
    requirePermission(caller, 'catalog.write')
    requireJustification(caller, context.justification ?? '')
  }
  return carryOutTenantCommand(engine, context, async (transaction) => {
    await new PersonStore(transaction).lock()
    const at = engine.clock.now()
    const links = new PersonLinkStore(transaction)
    const own = of ? await links.ofAccount(of.ownerProvider, of.account) : await ofCaller(links, caller)
    const members = own?.linkId === undefined ? [] : await links.members(own.linkId)
    const gone = members.find(({ identityProvider }) => identityProvider === name)
    if (!gone) throw new SkeinError('LINK_NOT_FOUND')
    const left = members.filter((member) => member !== gone)
    // One account is linked to nothing.
    const single = left.length === 1 ? left : []
    for (const person of [gone, ...single]) await links.leave(person)
    // A token was kept for the sake of the others.
    for (const { keyId } of [gone, ...single]) await new PersonGrantStore(transaction).letGo(keyId, at)
    await recordAudit(transaction, context, {
      operation: 'unlinkAccount',
      kind: 'account',
      name: `${providerName(gone.ownerProvider)}/${gone.account}`,
      justification: context.justification ?? '',
      at,
    })
    return { answer: {}, recorded: {} }
  })
}

/** Only their sessions: a key that has the account's name is not the person. */
async function ofCaller(links: PersonLinkStore, { keyId }: Caller): Promise<LinkedPerson | undefined> {
  return keyId === undefined ? undefined : links.ofKey(keyId)
}
