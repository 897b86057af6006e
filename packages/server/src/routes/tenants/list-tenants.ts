import { listTenants as operation } from '@skein/contract'
import { listTenants } from '@skein/engine'
import { route } from '../../http/route.ts'

export const listTenantsRoute = route(operation, ({ engine, query }) => listTenants(engine, query))
