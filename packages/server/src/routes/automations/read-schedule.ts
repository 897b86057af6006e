import { readSchedule as operation } from '@skein/contract'
import { readSchedule } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfQuery } from '../../http/tenant-of-query.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const readScheduleRoute = route(operation, async (input) =>
  readSchedule(
    input.engine,
    input.caller,
    await tenantOfResource('schedule', input, tenantOfQuery(input.query)),
    input.params.name,
  ),
)
