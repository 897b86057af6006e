import { expect, test } from 'vitest'
import { Type } from 'typebox'
import { readSettings, secretSetting } from '../src/settings.ts'

const SCHEMA = Type.Object({
  SKEIN_MASTER_KEY: secretSetting({ description: 'A secret.' }),
  SKEIN_HOST: Type.String({ default: 'localhost', description: 'Not a secret.' }),
})

const FILES: Readonly<Record<string, string>> = {
  '/run/key': 'from a file\n',
  '/run/windows': 'from Windows\r\n',
  '/run/empty': '\n',
  '/run/large': 'x'.repeat(65_537),
}

function read(environment: Readonly<Record<string, string>>) {
  return readSettings(SCHEMA, environment, (path) => {
    const content = FILES[path]
    if (content !== undefined) return content
    throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' })
  })
}

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return String(error)
  }
  return ''
}

test('a secret comes from its variable or from a file, without the newline at its end', () => {
  expect(read({ SKEIN_MASTER_KEY: 'given' }).SKEIN_MASTER_KEY).toBe('given')
  expect(read({ SKEIN_MASTER_KEY_FILE: '/run/key' }).SKEIN_MASTER_KEY).toBe('from a file')
  expect(read({ SKEIN_MASTER_KEY_FILE: '/run/windows' }).SKEIN_MASTER_KEY).toBe('from Windows')
  expect(read({ SKEIN_MASTER_KEY: 'given', SKEIN_MASTER_KEY_FILE: '' }).SKEIN_MASTER_KEY).toBe('given')
  expect(read({}).SKEIN_MASTER_KEY).toBe('')
})

test('a secret that is set twice is refused, and both variables are named', () => {
  const message = messageOf(() => read({ SKEIN_MASTER_KEY: 'given', SKEIN_MASTER_KEY_FILE: '/run/key' }))
  expect(message).toContain('SKEIN_MASTER_KEY and SKEIN_MASTER_KEY_FILE are both set')
  expect(message).not.toContain('given')
})

test('a file without a secret is rejected, naming its variable', () => {
  expect(messageOf(() => read({ SKEIN_MASTER_KEY_FILE: '/run/empty' }))).toMatch(/KEY_FILE .* empty/)
  expect(messageOf(() => read({ SKEIN_MASTER_KEY_FILE: '/run/large' }))).toMatch(/KEY_FILE .* too large/)
})

test('a secret where the path belongs is not repeated in the message', () => {
  const message = messageOf(() => read({ SKEIN_MASTER_KEY_FILE: 'correct horse' }))
  expect(message).toContain('SKEIN_MASTER_KEY_FILE names a file that cannot be read (ENOENT)')
  expect(message).not.toContain('correct horse')
})

test('only secrets come from files', () => {
  expect(read({ SKEIN_HOST_FILE: '/run/key' }).SKEIN_HOST).toBe('localhost')
})
