import {
  DocumentError,
  parseResources as parse,
  type MarkdownKind,
  type WrittenResource,
} from '@skein/resource-files'
import { UsageError } from '../command-line/usage-error.ts'

/** Parses the resources in a file. Errors are reported as usage errors. */
export function parseResources(
  text: string,
  source: string,
  markdown: readonly MarkdownKind[],
): WrittenResource[] {
  try {
    return parse(text, source, markdown)
  } catch (error) {
    if (error instanceof DocumentError) throw new UsageError(error.message, error.remedy)
    throw error
  }
}
