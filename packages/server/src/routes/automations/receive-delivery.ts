import { receiveDelivery as operation } from '@skein/contract'
import { receiveDelivery } from '@skein/engine'
import { anyBodyRoute } from '../../http/any-body-route.ts'

export const receiveDeliveryRoute = anyBodyRoute(operation, '/v1/trigger', (engine, { name, ...request }) =>
  receiveDelivery(engine, { ...request, trigger: name }),
)
