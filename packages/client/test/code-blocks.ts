import { readdirSync, readFileSync } from 'node:fs'

export interface CodeBlock {
  /** Where it stands, such as `src/agent.ts:52`. */
  readonly place: string
  readonly code: string
}

const root = new URL('../', import.meta.url)

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

export function sourceFiles(): string[] {
  return readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name}`)
}

/** The code after each `@example`, up to the end of the comment. */
export function readExamples(path: string): CodeBlock[] {
  const text = read(path)
  return [...text.matchAll(/^ *\* @example\n((?: *\*(?!\/).*\n)+)/gm)].map((match) => ({
    place: `${path}:${lineOf(text, match.index)}`,
    code: (match[1] ?? '').replaceAll(/^ *\* ?/gm, ''),
  }))
}

/** The TypeScript blocks of a page. */
export function readFencedBlocks(path: string): CodeBlock[] {
  const text = read(path)
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => ({
    place: `${path}:${lineOf(text, match.index)}`,
    code: match[1] ?? '',
  }))
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
