/** A line that GitLab would obey: a slash, then a word and nothing that makes it a path. */
const QUICK_ACTION = /^([ \t]*)\/(?=[^\s/]+(?:\s|$))/gm

/**
 * Text as GitLab only shows it. A line such as `/merge` in a comment or a description is a command there, carried out with
 * what our token may do. GitLab removes every carriage return before it looks, so they are removed here too. Markdown shows
 * the backslash only in code.
 */
export function withoutQuickActions(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(QUICK_ACTION, String.raw`$1\/`)
}
