/** The longest name of a resource or of an agent. */
export const MAX_NAME_LENGTH = 63

const NAME = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

/** A resource name, an agent's path element: what DNS calls a label. */
export const NAME_PATTERN = `^${NAME}$`

/** A name, or nothing. */
export const MAYBE_NAME_PATTERN = `^(${NAME})?$`

const WHOLE_NAME = new RegExp(NAME_PATTERN)

export function isName(text: string): boolean {
  return WHOLE_NAME.test(text)
}

/** How many levels a tree of agents has at most, its root included. */
export const MAX_DEPTH = 8
