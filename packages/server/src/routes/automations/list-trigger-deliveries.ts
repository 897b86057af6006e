import { listTriggerDeliveries as operation } from '@skein/contract'
import { listTriggerDeliveries } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const listTriggerDeliveriesRoute = route(operation, async (input) =>
  listTriggerDeliveries(
    input.engine,
    input.caller,
    {
      tenantId: await tenantOfResource('trigger', input, tenantOfQuery(input.query)),
      trigger: input.params.name,
    },
    input.query,
  ),
)
