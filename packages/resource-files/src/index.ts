export { comparable, normalize, writeOnlyFields } from './compare-documents.ts'
export { DocumentError } from './document-error.ts'
export { isDocument, type Document } from './document.ts'
export { formatDocument } from './format-document.ts'
export {
  readDocument,
  type FieldPath,
  type ReadDocument,
  type TextProblem,
  type TextRange,
} from './read-document.ts'
export { formatResource, parseResources, type MarkdownKind, type WrittenResource } from './resource-file.ts'
