import { common, createLowlight } from 'lowlight'

/** A part of a line, with what it is in the language; empty for plain text. */
export interface Piece {
  readonly text: string
  readonly kind: string
}

type Node = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'][number]

const lowlight = createLowlight(common)

/** Line by line, because only visible lines are known: a comment over several lines is recognised at its beginning. */
export function highlightLine(language: string, line: string): readonly Piece[] {
  const pieces: Piece[] = []
  collect(lowlight.highlight(language, line).children, '', pieces)
  return pieces
}

function collect(nodes: readonly Node[], kind: string, pieces: Piece[]): void {
  for (const node of nodes) {
    if (node.type === 'text') pieces.push({ text: node.value, kind })
    if (node.type === 'element') collect(node.children, kindOf(node.properties['className']) || kind, pieces)
  }
}

function kindOf(classes: unknown): string {
  const first: unknown = Array.isArray(classes) ? classes[0] : undefined
  return typeof first === 'string' ? first.replace(/^hljs-/, '') : ''
}
