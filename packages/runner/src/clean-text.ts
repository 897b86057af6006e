import { mapTexts } from './map-texts.ts'

/** The service stores neither NUL nor lone surrogates; an agent's tools may print both. */
function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '␀')
}

/** Never splits a character, because half of one is not valid text. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(length - 2)) ? length - 2 : length - 1
  return `${text.slice(0, end)}…`
}

/** All strings in a report, whatever its shape. */
export function cleanTexts<Value>(value: Value): Value {
  return mapTexts(value, cleanText)
}
