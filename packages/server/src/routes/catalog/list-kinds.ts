import { KINDS, listKinds, publishedSchema } from '@skein/contract'
import { route } from '../../http/route.ts'

export const listKindsRoute = route(listKinds, () => ({
  kinds: KINDS.map((kind) => ({
    kind: kind.kind,
    summary: kind.summary,
    inputFormat: kind.inputFormat,
    bodyField: kind.bodyField ?? '',
    oneTimeSecret: kind.oneTimeSecret ?? '',
    schema: publishedSchema(kind),
  })),
}))
