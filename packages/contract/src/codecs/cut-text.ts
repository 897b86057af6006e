/** Cuts between characters, never within a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const isSplit = /[\uD800-\uDBFF]/.test(text[length - 1] ?? '')
  return text.slice(0, isSplit ? length - 1 : length)
}
