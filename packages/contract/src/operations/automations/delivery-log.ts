import { Type } from 'typebox'
import { request, response, Timestamp } from '../../schemas/primitives.ts'
import { tenantQuery } from '../catalog.ts'
import { pageQuery } from '../paging.ts'

export const logQuery = { ...tenantQuery, ...pageQuery }

/** What all operations have in common that read the log of an automation. */
export const readsLog = {
  method: 'GET',
  tag: 'automations',
  permission: 'catalog.read',
  query: request(undefined, logQuery),
  reasons: ['RESOURCE_NOT_FOUND', 'TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
} as const

/** How a log is summed up for a plot. */
export const DeliveryHour = response(undefined, {
  time: Timestamp('The beginning of the hour.'),
  attempts: Type.Integer({ description: 'Requests.' }),
  failures: Type.Integer({ description: 'Those that failed.' }),
})
