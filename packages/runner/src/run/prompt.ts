import type { Assignment } from '@skein/contract'

type Work = Pick<Assignment, 'description' | 'expectedOutput' | 'messages' | 'runId' | 'attempt'>

/** What the conversation already holds when the turn begins. */
export type Remembered =
  /** Nothing: the agent's first turn, or its conversation is gone. */
  | 'nothing'
  /** The turns before this one. */
  | 'earlier-turns'
  /** This very turn, cut off by a crash, a pause or a lost runner. */
  | 'this-turn'

const CUT_OFF =
  'Your turn was cut off. Go on where you stopped. Look at what is already done before you repeat it.'

/** What the agent is told at the beginning of a turn. */
export function buildPrompt(work: Work, remembered: Remembered): string {
  switch (remembered) {
    case 'this-turn':
      return CUT_OFF
    case 'earlier-turns':
      return messagesOf(work)
    case 'nothing':
      return isFirst(work) ? taskOf(work) : `${taskOf(work)}\n\n${lostConversation(work)}`
  }
}

function isFirst({ runId, attempt }: Work): boolean {
  return runId === '1' && attempt === 1
}

function taskOf({ description, expectedOutput }: Work): string {
  return expectedOutput === '' ? description : `${description}\n\nExpected output: ${expectedOutput}`
}

function lostConversation(work: Work): string {
  const news = work.messages.filter(({ description }) => description !== work.description)
  const note =
    'You have worked on this before, but that conversation is gone. What you did is in the workspace.'
  return news.length === 0 ? note : `${note} Since then you got:\n\n${messagesOf({ messages: news })}`
}

function messagesOf({ messages }: Pick<Work, 'messages'>): string {
  return messages.map(({ description }) => description).join('\n\n')
}
