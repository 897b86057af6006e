import { listFirings as operation } from '@skein/contract'
import { listFirings } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const listFiringsRoute = route(operation, async (input) =>
  listFirings(
    input.engine,
    input.caller,
    {
      tenantId: await tenantOfResource('schedule', input, tenantOfQuery(input.query)),
      name: input.params.name,
    },
    input.query,
  ),
)
