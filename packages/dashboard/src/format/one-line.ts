/** For a line of a list: Markdown's marks and line breaks say nothing there. */
export function toOneLine(text: string): string {
  return text
    .replaceAll(/[*_`#>]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
