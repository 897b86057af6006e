import type { Resource } from '@skein/client'
import { isDocument } from '@skein/resource-files'
import type { HeldText } from './draft.ts'
import { formatHeld, type EditedKind } from '../../../catalog/resource-text.ts'

export function toHeldText(kind: EditedKind, resource: Resource | null): HeldText {
  return { generation: resource?.generation ?? '0', text: formatHeld(kind, resource) }
}

export interface Authorship {
  readonly updatedBy: string
  readonly updateTime: string
}

/** Who last wrote a resource, and when; empty for a built-in. */
export function readAuthorship(resource: Pick<Resource, 'document' | 'isBuiltIn'>): Authorship {
  const { metadata } = resource.document
  if (resource.isBuiltIn || !isDocument(metadata)) return { updatedBy: '', updateTime: '' }
  const { updatedBy, updateTime } = metadata
  return {
    updatedBy: typeof updatedBy === 'string' ? updatedBy : '',
    updateTime: typeof updateTime === 'string' ? updateTime : '',
  }
}
