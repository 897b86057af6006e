import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Prints the address of every module that the program loads before it knows its command. */
const LIST_MODULES = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      console.log(url)
      return next(url, context)
    },
  })
  await import(${JSON.stringify(new URL('../src/command-line/program.ts', import.meta.url).href)})
`

test('no command waits for what only another one needs', async () => {
  const args = ['--input-type=module', '-e', LIST_MODULES]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toContain('/commander/')
  for (const heavy of ['/typebox/', '/@modelcontextprotocol/', '/pg/', '/cli/src/dev/run-dev.ts']) {
    expect(stdout).not.toContain(heavy)
  }
})
