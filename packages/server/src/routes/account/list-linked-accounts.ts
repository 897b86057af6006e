import { listLinkedAccounts as operation } from '@skein/contract'
import { listLinkedAccounts } from '@skein/engine'
import { route } from '../../http/route.ts'

export const listLinkedAccountsRoute = route(operation, ({ engine, caller }) =>
  listLinkedAccounts(engine, caller),
)
