import type { WorkloadIdentityDocument } from '@skein/contract'
import type { Document } from '../catalog/document.ts'
import { valuesAt } from './claims.ts'

/** The first condition that the claims do not meet, if any. A document without conditions allows nobody. */
export function unmetCondition(
  { conditions }: Pick<WorkloadIdentityDocument, 'conditions'>,
  claims: Document,
): string | undefined {
  if (conditions.length === 0) return 'none'
  return conditions.find(({ claim, value }) => !valuesAt(claims, claim).includes(value))?.claim
}
