import { Type } from 'typebox'
import { response, Timestamp } from '../../schemas/primitives.ts'

/** How a log is summed up for a plot. */
export const DeliveryHour = response(undefined, {
  time: Timestamp('The beginning of the hour.'),
  attempts: Type.Integer({ description: 'Requests.' }),
  failures: Type.Integer({ description: 'Those that failed.' }),
})
