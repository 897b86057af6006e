import { expect, test } from 'vitest'
import { DataDir } from '../src/data-dir.ts'
import { runnerSpec } from '../src/program-specs.ts'
import { passOn } from '../src/programs.ts'

const KEY = { ANTHROPIC_API_KEY: 'sk-of-the-shell' }

test('a runner on the simulator gets no key and no address of a provider', () => {
  const env = { ...KEY, ANTHROPIC_BASE_URL: 'https://proxy.example.com', OPENAI_API_KEY: 'sk-other' }
  const state = { masterKey: '', password: '', apiKey: '', runnerKey: '' }
  const facts = { state, dataDir: new DataDir('x'), baseUrl: 'http://127.0.0.1:1', sandbox: undefined }
  const spec = runnerSpec(env, { ...facts, simulatorUrl: 'http://127.0.0.1:2' })
  expect(spec.env).toMatchObject({
    ANTHROPIC_API_KEY: 'simulated',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:2',
    OPENAI_API_KEY: 'simulated',
  })
  expect(JSON.stringify(spec.env)).not.toContain('sk-')
})

test('the login of a subscription never reaches the runner', () => {
  const env = { ...KEY, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat', ANTHROPIC_AUTH_TOKEN: 'sk-ant-oat' }
  expect(passOn(env, { withProviders: true })).toEqual(KEY)
})

test('a file of secrets that the shell names does not compete with the secrets of skein dev', () => {
  const env = { SKEIN_MASTER_KEY_FILE: '/run/key', SKEIN_API_KEY_FILE: '/run/api', SKEIN_LOG_LEVEL: 'warn' }
  expect(passOn(env, { withProviders: true })).toEqual({ SKEIN_LOG_LEVEL: 'warn' })
})
