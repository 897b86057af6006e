import { exchangeToken as operation } from '@skein/contract'
import { exchangeToken } from '@skein/engine'
import { anyBodyRoute } from '../../http/any-body-route.ts'

/** A form, as OAuth has it. */
export const exchangeTokenRoute = anyBodyRoute(operation, '/v1/token', exchangeToken)
