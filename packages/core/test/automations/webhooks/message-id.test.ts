import { expect, test } from 'vitest'
import { messageId } from '../../../src/automations/webhooks/message-id.ts'

test('names the agent and the event', () => {
  expect(messageId('01a1edf1-a8d1-7504-9d59-28da8c4cd009', 9n)).toBe('msg_01a1edf1a8d175049d5928da8c4cd009_9')
})
