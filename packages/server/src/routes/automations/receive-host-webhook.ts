import { receiveHostWebhook as operation } from '@skein/contract'
import { receiveHostWebhook } from '@skein/engine'
import { anyBodyRoute } from '../../http/any-body-route.ts'

export const receiveHostWebhookRoute = anyBodyRoute(
  operation,
  '/v1/code-host',
  (engine, { name, ...request }) => receiveHostWebhook(engine, { ...request, codeHost: name }),
)
