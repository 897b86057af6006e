import { SkeinError, type Provider } from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import { requireJustification, requirePermission, type Caller } from '@skein/core'
import {
  BrowserSessionStore,
  PersonGrantStore,
  PersonLinkStore,
  PersonStore,
  type LinkedPerson,
  type Transaction,
} from '@skein/store'
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
    const own = of
      ? await links.ofAccount(of.ownerProvider, of.account)
      : await ofCaller(transaction, caller, at)
    const members = own?.linkId === undefined ? [] : await links.members(own.linkId)
    const gone = members.find(({ identityProvider }) => identityProvider === name)
    if (!gone) throw new SkeinError('LINK_NOT_FOUND')
    const left = members.filter((member) => member !== gone)
    // One account is linked to nothing.
    const single = left.length === 1 ? left : []
    for (const person of [gone, ...single]) await links.leave(person)
    // A token may have been kept because the person is signed in with what is now apart, on either side.
    const keyIds = members.map(({ keyId }) => keyId)
    await new PersonGrantStore(transaction).letGo(keyIds, at)
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
async function ofCaller(
  transaction: Transaction,
  caller: Caller,
  at: number,
): Promise<LinkedPerson | undefined> {
  const { keyId, sessionId = caller.commandLineId } = caller
  if (keyId === undefined || sessionId === undefined) return undefined
  // It may have ended while others held the lock.
  const isLive = await new BrowserSessionStore(transaction).lockLive(caller, sessionId, at)
  if (!isLive) throw new SkeinError('CREDENTIAL_INVALID')
  return new PersonLinkStore(transaction).ofKey(keyId)
}
