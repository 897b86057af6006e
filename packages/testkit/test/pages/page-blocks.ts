/** Commands of a page, as somebody runs them who follows it from top to bottom. */
export interface PageBlock {
  /** The page's heading above it. */
  readonly heading: string
  /** Where the page says to run it, one after the other. */
  readonly machines: readonly string[]
  readonly commands: string
}

const MARK = /^<!-- run (?:on|in) (?:the |a )?(.+) -->$/

/** Every fenced block after a comment such as `<!-- run on pg1, pg2 and witness -->`. Others are examples. */
export function readBlocks(page: string): PageBlock[] {
  const blocks: PageBlock[] = []
  const lines = page.split('\n')
  let heading = ''
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
    const machines = MARK.exec(line)?.[1]?.split(/, | and /)
    if (machines === undefined) continue
    const start = lines.indexOf('```sh', at)
    const end = lines.indexOf('```', start)
    const gap = lines.slice(at + 1, start)
    if (start === -1 || end === -1 || gap.some((text) => text !== '')) {
      throw new Error(`No commands follow the mark in line ${at + 1}`)
    }
    blocks.push({ heading, machines, commands: lines.slice(start + 1, end).join('\n') })
    at = end
  }
  return blocks
}
