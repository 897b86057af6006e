import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { readExamples, readFencedBlocks, sourceFiles } from './code-blocks.ts'
import { typeCheck } from './type-check.ts'

const GUIDES = new URL('../../../docs/guides/', import.meta.url)
const TIMEOUT_MS = 180_000

test('every example in a comment and in a guide compiles', { timeout: TIMEOUT_MS }, () => {
  const examples = sourceFiles().flatMap(readExamples)
  const recipes = readFencedBlocks('../../docs/sdk.md')
  const guides = readdirSync(GUIDES).flatMap((name) => readFencedBlocks(`../../docs/guides/${name}`))
  expect(examples.length).toBeGreaterThan(40)
  expect(recipes.length).toBeGreaterThan(5)
  expect(guides.length).toBeGreaterThan(0)
  expect(typeCheck([...examples, ...recipes, ...guides])).toEqual([])
})

test('the check sees what is wrong with an example', { timeout: TIMEOUT_MS }, () => {
  const wrong = [
    { place: 'a', code: 'await agent.sned("x")' },
    { place: 'b', code: 'const text: string = await agent.wait()' },
    { place: 'c', code: 'skein.spawn({ name: "x" })' },
    { place: 'd', code: 'import { Nothing } from "@skein/client"' },
  ]
  expect(typeCheck(wrong).map((line) => line[0])).toEqual(['a', 'b', 'c', 'd'])
})

test(
  'everything that the package exports, and each public member, has an example',
  { timeout: TIMEOUT_MS },
  () => {
    const index = fileURLToPath(new URL('../src/index.ts', import.meta.url))
    const program = ts.createProgram([index], {
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
    })
    const checker = program.getTypeChecker()
    const source = program.getSourceFile(index)
    const exported = source && checker.getSymbolAtLocation(source)
    const missing = (exported ? checker.getExportsOfModule(exported) : []).flatMap((found) => {
      const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
      const [declaration] = symbol.declarations ?? []
      // The generated types are documented by the contract, field by field.
      if (!declaration || declaration.getSourceFile().fileName.includes('/generated/')) return []
      const members = ts.isClassDeclaration(declaration) ? declaration.members.filter(needsExample) : []
      return [
        ...(hasExample(symbol, checker) ? [] : [symbol.name]),
        ...members
          .filter((member) => !nodeHasExample(member))
          .map((member) => `${symbol.name}.${member.name?.getText()}`),
      ]
    })
    expect(missing).toEqual([])
  },
)

/** Methods and getters; fields are explained by a sentence, errors by the class. */
function needsExample(member: ts.ClassElement): boolean {
  const isCallable = ts.isMethodDeclaration(member) || ts.isGetAccessorDeclaration(member)
  return isCallable && /^[a-z]/.test(member.name.getText())
}

function nodeHasExample(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'example')
}

function hasExample(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return symbol.getJsDocTags(checker).some((tag) => tag.name === 'example')
}
