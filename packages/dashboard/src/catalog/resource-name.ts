const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Why a resource cannot have this name; undefined when it can. */
export function checkName(name: string, taken: readonly { readonly name: string }[]): string | undefined {
  if (!NAME.test(name)) return 'Use a-z, 0-9 and -, at most 63 characters.'
  return taken.some((resource) => resource.name === name) ? 'There is one of this name already.' : undefined
}
