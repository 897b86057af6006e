import { parseTimestamp, readDelivery as operation } from '@skein/contract'
import { readDelivery } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const readDeliveryRoute = route(operation, async (input) => {
  const { engine, params, query } = input
  return readDelivery(
    engine,
    await tenantOfResource('integration', input, tenantOfQuery(query)),
    params.name,
    { id: params.deliveryId, at: parseTimestamp(query.time) ?? 0 },
  )
})
