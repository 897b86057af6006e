import { exportTenant as operation } from '@skein/contract'
import { openTenantExport } from '@skein/engine'
import { streamRoute } from '../../http/event-stream.ts'
import { readJustification } from '../../plugins/justification.ts'

export const exportTenantRoute = streamRoute(operation, async (input) => {
  const { engine, caller, params, requestId, address } = input
  const justification = readJustification(input.header('x-skein-justification'))
  const request = { caller, requestId, address, justification }
  const { lines, stalled } = await openTenantExport(engine, request, params.tenantId)
  return { events: lines, stalled, idOf: () => undefined }
})
