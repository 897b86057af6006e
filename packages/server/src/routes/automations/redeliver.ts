import { redeliver as operation } from '@skein/contract'
import { redeliver } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const redeliverRoute = route(operation, async (input) => {
  const { name: trigger, deliveryId } = input.params
  const context = input.commandFor(await tenantOfResource('trigger', input, input.body.tenant))
  return redeliver(input.engine, context, { trigger, deliveryId }, input.body.justification ?? '')
})
