import { SkeinError } from '@skein/contract'
import { requireJustification, resourceNotFound } from '@skein/core'
import { TriggerDeliveryStore } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { recordAudit } from '../../audit/record-audit.ts'
import type { CommandContext, CommandOutcome } from '../../commands/command.ts'
import { carryOutTenantCommand } from '../../commands/tenant-command.ts'
import type { EngineResources } from '../../resources.ts'
import { findTrigger, TRIGGER } from './find-trigger.ts'
import { requireDelivery } from './read-deliveries.ts'
import { triggerLimited } from './trigger-limited.ts'

/** Applies a request again, as a new delivery. */
export async function redeliver(
  engine: EngineResources,
  context: CommandContext,
  { trigger: name, deliveryId }: { readonly trigger: string; readonly deliveryId: string },
  justification: string,
): Promise<CommandOutcome<{ deliveryId: string }>> {
  requireJustification(context.caller, justification)
  const outcome = await carryOutTenantCommand(engine, context, async (transaction) => {
    const { headers } = await requireDelivery(transaction, name, deliveryId)
    const trigger = await findTrigger(transaction, name)
    if (!trigger) throw resourceNotFound(TRIGGER, name)
    const deliveries = new TriggerDeliveryStore(transaction)
    const body = await deliveries.body(name, deliveryId)
    if (!body) throw new SkeinError('DELIVERY_NOT_KEPT')
    const id = uuidV7()
    const accepted = await deliveries.accept({
      id,
      trigger: name,
      senderKey: `redelivery:${id}`,
      bodyKey: undefined,
      body,
      headers,
      redeliveryOf: deliveryId,
      perMinute: trigger.limits.perMinute,
    })
    if (accepted.type === 'wait') throw triggerLimited(accepted.ms)
    await recordAudit(transaction, context, {
      operation: 'redeliver',
      kind: TRIGGER,
      name,
      at: engine.clock.now(),
      justification,
    })
    const answer = { deliveryId: accepted.id }
    return { answer, recorded: answer }
  })
  engine.events.emit({ type: 'trigger-received', isNew: !outcome.isReplay })
  return outcome
}
