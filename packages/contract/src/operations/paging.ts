import { Type } from 'typebox'
import { Text } from '../schemas/primitives.ts'

export const MAX_PAGE_SIZE = 1000

export const pageQuery = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      description: 'Maximum number of entries. Default: 1,000.',
    }),
  ),
  pageToken: Type.Optional(Text('The nextPageToken of the page before.', { maxLength: 1024 })),
}

export const nextPageToken = Text('Names the next page; empty on the last.')
