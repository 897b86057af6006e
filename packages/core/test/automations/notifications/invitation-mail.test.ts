import { expect, test } from 'vitest'
import { formatInvitation } from '../../../src/index.ts'

const mail = (fields: object = {}) =>
  formatInvitation({
    org: 'acme',
    invitedBy: 'ada',
    role: 'member',
    url: 'https://skein.example.com/invitation#ski_x',
    expiresAt: Date.UTC(2026, 10, 25, 9, 30),
    ...fields,
  })

test('says who invites to what, and until when the link works', () => {
  const { subject, text } = mail()
  expect(subject).toBe('[Skein] Invitation to acme')
  expect(text).toContain('ada invites you to acme on Skein, as member.')
  expect(text).toContain('until 2026-11-25 09:30 UTC:\n\nhttps://skein.example.com/invitation#ski_x\n')
})

test('names of others are one line, of visible characters', () => {
  const hostile = 'x\r\nBcc: victim@example.com\r\n\r\n\u202Ehello\u0000\uD800'
  const { subject, text } = mail({ org: hostile, invitedBy: hostile })
  for (const character of ['\r', '\n', '\u0000', '\u202E']) expect(subject).not.toContain(character)
  expect(subject.isWellFormed()).toBe(true)
  expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([])
  expect(text.split('\n')).toHaveLength(mail().text.split('\n').length)
})
