import { unlinkAccount as operation } from '@skein/contract'
import { unlinkAccount } from '@skein/engine'
import { route } from '../../http/route.ts'

export const unlinkAccountRoute = route(operation, ({ engine, caller, params, query, commandFor }) => {
  const { account, ownerProvider = caller.ownerProvider } = query
  const of = account === undefined ? undefined : { ownerProvider, account }
  return unlinkAccount(engine, commandFor(caller.tenantId), { name: params.name, of })
})
