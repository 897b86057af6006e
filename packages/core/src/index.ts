export type { Caller } from './access/caller.ts'
export {
  chooseTenant,
  isAllowed,
  isGrantable,
  requireJustification,
  requirePermission,
  type TenantChoice,
} from './access/policy.ts'
export { applyFieldMask } from './catalog/apply-field-mask.ts'
export { builtInsOf, findBuiltIn, type BuiltIn } from './catalog/built-ins.ts'
export { decideDelete, type DeleteCommand, type DeleteDecision } from './catalog/delete-resource.ts'
export { builtInFacts, toPayload, type ResourceFacts } from './catalog/describe-resource.ts'
export { isDocument, withDefaults, type Document } from './catalog/document.ts'
export { matchesModel } from './catalog/kind-rules.ts'
export { requireKind, resourceNotFound } from './catalog/not-found.ts'
export { outputSchemaProblem } from './catalog/output-schema.ts'
export { findReferences, type Reference, type ResourceRef } from './catalog/references.ts'
export type { KeyGrant, SecretEffect } from './catalog/secret-effect.ts'
export {
  decideWrite,
  draftWrite,
  type Draft,
  type StoredResource,
  type WriteCommand,
  type WriteDecision,
} from './catalog/write-resource.ts'
