import { SkeinError } from '@skein/contract'

const MAX_LENGTH = 4096

/** Percent-encoded, because a header cannot carry every character: `X-Skein-Justification: asked%20by%20Ada`. */
export function readJustification(header: string | string[] | undefined): string {
  const text = decode(header?.toString() ?? '')
  if (text !== undefined && text.length <= MAX_LENGTH) return text
  throw new SkeinError('REQUEST_INVALID', {
    message:
      'The header X-Skein-Justification is not valid: percent-encoded text of at most 4096 characters.',
  })
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
