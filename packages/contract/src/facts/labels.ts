/** Maximum per agent. */
export const MAX_LABELS = 64
export const MAX_LABEL_VALUE_LENGTH = 255

export const LABEL_NAME_PATTERN = '^[a-z0-9]([a-z0-9./-]{0,61}[a-z0-9])?$'

const WHOLE_LABEL_NAME = new RegExp(LABEL_NAME_PATTERN)

export function isLabelName(text: string): boolean {
  return WHOLE_LABEL_NAME.test(text)
}
