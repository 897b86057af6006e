import { runSchedule as operation } from '@skein/contract'
import { runSchedule } from '@skein/engine'
import { route } from '../../http/route.ts'
import { tenantOfResource } from '../../http/tenant-of-resource.ts'

export const runScheduleRoute = route(operation, async (input) => {
  const context = input.commandFor(await tenantOfResource('schedule', input, input.body.tenant))
  return runSchedule(input.engine, context, input.params.name, input.body.justification ?? '')
})
