import { isName, MAX_NAME_LENGTH } from '@skein/contract/facts'

/** Why a resource cannot have this name; undefined if it can. */
export function checkName(name: string, taken: readonly { readonly name: string }[]): string | undefined {
  if (!isName(name)) return `Use a-z, 0-9 and -, at most ${MAX_NAME_LENGTH} characters.`
  return taken.some((resource) => resource.name === name) ? 'This name is already in use.' : undefined
}
