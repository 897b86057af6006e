import { readTriggerDelivery as operation } from '@skein/contract'
import { readTriggerDelivery } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const readTriggerDeliveryRoute = route(operation, async (input) => {
  const { name: trigger, deliveryId } = input.params
  return readTriggerDelivery(
    input.engine,
    await tenantOfResource('trigger', input, tenantOfQuery(input.query)),
    { trigger, deliveryId },
  )
})
