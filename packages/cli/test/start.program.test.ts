import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
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
  for (const heavy of [
    '/typebox/',
    '/@modelcontextprotocol/',
    '/pg/',
    '/packages/dev/src/',
    '/cli/src/dev/run-dev.ts',
  ]) {
    expect(stdout).not.toContain(heavy)
  }
})

/** Node looks for @skein/dev where nothing is installed. */
const WITHOUT_DEV = `
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, specifier === '@skein/dev' ? { ...context, parentURL: 'file:///nowhere/' } : context),
  })
`

test.each([['dev'], ['demo'], ['demo', '--clean']])(
  'without @skein/dev, skein %s says what to install',
  async (...args) => {
    const hook = `--import=data:text/javascript,${encodeURIComponent(WITHOUT_DEV)}`
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
    const ended = promisify(execFile)(process.execPath, [hook, main, ...args])
    await expect(ended).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('npm install @skein/cli @skein/dev') as string,
    })
  },
)
