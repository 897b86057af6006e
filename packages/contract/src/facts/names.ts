/** Maximum length of resource and agent names. */
export const MAX_NAME_LENGTH = 63

const NAME = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

/** A resource name or an element of an agent's path: a DNS label. */
export const NAME_PATTERN = `^${NAME}$`

/** A name or an empty string. */
export const MAYBE_NAME_PATTERN = `^(${NAME})?$`

const WHOLE_NAME = new RegExp(NAME_PATTERN)

export function isName(text: string): boolean {
  return WHOLE_NAME.test(text)
}

/** Maximum number of levels of an agent tree, including the root. */
export const MAX_DEPTH = 8
