/** For one line of a list, without Markdown and line breaks. */
export function toOneLine(text: string): string {
  return text
    .replaceAll(/[*_`#>]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
