/** Between characters, never within one that takes two units: half of it is not text. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const isSplit = /[\uD800-\uDBFF]/.test(text[length - 1] ?? '')
  return text.slice(0, isSplit ? length - 1 : length)
}
