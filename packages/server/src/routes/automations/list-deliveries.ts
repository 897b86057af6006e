import { listDeliveries as operation } from '@skein/contract'
import { listDeliveries } from '@skein/engine'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'
import { route } from '../../http/route.ts'

export const listDeliveriesRoute = route(operation, async (input) => {
  const { engine, params, query } = input
  const wanted = { integration: params.name, onlyFailed: query.failed === 'true' }
  return listDeliveries(
    engine,
    await tenantOfResource('integration', input, tenantOfQuery(input.query)),
    wanted,
    query,
  )
})
