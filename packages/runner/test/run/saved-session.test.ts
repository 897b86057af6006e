import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { AgentSaves } from '../../src/blobs/agent-saves.ts'
import { FileBlobStore } from '@skein/host/blobs'
import { formatSavedSession, parseSavedSession } from '../../src/run/saved-session.ts'

const session = { backend: 'a', id: 'x', transcript: 'home/x.jsonl' }

test('saved data is read back', () => {
  const saved = { session, runId: '3', snapshot: randomUUID() }
  expect(parseSavedSession(formatSavedSession(saved))).toEqual(saved)
})

test('a session cannot say where its blob is', () => {
  const snapshot = randomUUID()
  const text = JSON.stringify({ version: 1, session, blob: '../../backups/db', runId: '3', snapshot })
  const saved = parseSavedSession(text)
  expect(saved).toEqual({ session, runId: '3', snapshot })
  const saves = new AgentSaves(new FileBlobStore('/nowhere'), '0123abcd')
  expect(saved && saves.keyOf(saved.snapshot)).toBe(`sessions/0123abcd/${snapshot}`)
})

test.each([
  '',
  'nonsense',
  '{"version":1}',
  JSON.stringify({ version: 2, session, runId: '3', snapshot: randomUUID() }),
  JSON.stringify({ version: 1, session, runId: '3', snapshot: '../other/agent' }),
  JSON.stringify({ version: 1, session, runId: '3', snapshot: `${randomUUID()}/../x` }),
  JSON.stringify({ version: 1, session: { ...session, id: 3 }, runId: '3', snapshot: randomUUID() }),
])('%s begins a new conversation', (text) => {
  expect(parseSavedSession(text)).toBeUndefined()
})
