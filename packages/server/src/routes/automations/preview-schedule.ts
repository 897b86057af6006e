import { previewSchedule as operation } from '@skein/contract'
import { previewSchedule } from '@skein/engine'
import { route } from '../../http/route.ts'

export const previewScheduleRoute = route(operation, ({ engine, caller, body }) =>
  previewSchedule(engine, caller.tenantId, body),
)
