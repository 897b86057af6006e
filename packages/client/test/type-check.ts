import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { CodeBlock } from './code-blocks.ts'

const folder = fileURLToPath(new URL('./', import.meta.url))
const config = fileURLToPath(new URL('../../../tsconfig.test.json', import.meta.url))

/** What every block may use without saying where it comes from. */
const PRELUDE = `
  declare const skein: import('../src/index.ts').Skein
  declare const agent: import('../src/index.ts').Agent
`

/** The compiler's errors for blocks of code, each as a separate module, without writing files. */
export function typeCheck(blocks: readonly CodeBlock[]): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, (path) => ts.sys.readFile(path)).config,
    ts.sys,
    fileURLToPath(new URL('../../../', import.meta.url)),
  )
  const texts = new Map([[`${folder}prelude.d.ts`, PRELUDE]])
  const places = new Map<string, string>()
  for (const [index, { place, code }] of blocks.entries()) {
    texts.set(`${folder}block-${index}.ts`, `${code}\nexport {}\n`)
    places.set(`${folder}block-${index}.ts`, place)
  }
  const settings = { ...options, noEmit: true, incremental: false, noUnusedLocals: false }
  delete settings.tsBuildInfoFile
  const host = ts.createCompilerHost(settings)
  const program = ts.createProgram([...texts.keys()], settings, {
    ...host,
    fileExists: (path) => texts.has(path) || host.fileExists(path),
    readFile: (path) => texts.get(path) ?? host.readFile(path),
    getSourceFile: (path, version) => {
      const text = texts.get(path)
      return text === undefined ? host.getSourceFile(path, version) : ts.createSourceFile(path, text, version)
    },
  })
  return [...texts.keys()].flatMap((path) => {
    const source = program.getSourceFile(path)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(
      ({ messageText }) => `${places.get(path)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
  })
}
