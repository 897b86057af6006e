import { testTrigger as operation } from '@skein/contract'
import { decodePayload } from '@skein/core'
import { resolveTenant, testTrigger } from '@skein/engine'
import { route } from '../../http/route.ts'

export const testTriggerRoute = route(operation, async ({ engine, caller, body }) => {
  const tenantId = await resolveTenant(engine, caller, body.tenant)
  const { name = 'test', payload, headers = {} } = body
  const document = decodePayload(payload) ?? {}
  return testTrigger(engine, tenantId, { name, document, body: body.body, headers })
})
