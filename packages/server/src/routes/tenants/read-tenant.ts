import { readTenant as operation } from '@skein/contract'
import { readTenant } from '@skein/engine'
import { route } from '../../http/route.ts'

export const readTenantRoute = route(operation, ({ engine, params }) => readTenant(engine, params.tenantId))
