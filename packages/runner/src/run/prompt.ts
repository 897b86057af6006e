import type { Assignment } from '@skein/contract'

type Work = Pick<
  Assignment,
  | 'description'
  | 'expectedOutput'
  | 'messages'
  | 'runId'
  | 'attempt'
  | 'runsBefore'
  | 'resumed'
  | 'unanswered'
>

/** What the conversation already contains when the turn starts. */
export type Remembered =
  /** Nothing: the agent's first turn, or its conversation is lost. */
  | 'nothing'
  /** The turns before this one. */
  | 'earlier-turns'
  /** The turns before the last one of the previous incarnation, which this one continues. */
  | 'not-the-last-turn'
  /** This turn, interrupted by a crash, a pause or a lost runner. */
  | 'this-turn'

const CUT_OFF =
  'Your turn was interrupted. Continue where you left off. Check what is already done before you repeat it.'

/** The prompt that starts a turn. */
export function buildPrompt(work: Work, remembered: Remembered): string {
  switch (remembered) {
    case 'this-turn':
      return CUT_OFF
    case 'earlier-turns':
      return messagesOf(work)
    case 'not-the-last-turn':
      return [...work.unanswered, messagesOf(work)].join('\n\n')
    case 'nothing':
      return buildFirstPrompt(work)
  }
}

function buildFirstPrompt(work: Work): string {
  const note = noteOn(work)
  const news = [...work.unanswered, ...work.messages.map(({ description }) => description)]
    .filter((description) => description !== work.description)
    .join('\n\n')
  const parts = [taskOf(work), note, news === '' || note === '' ? news : `Since then you got:\n\n${news}`]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Only true statements: an earlier incarnation's work isn't this one's, and if nothing was done, nothing is lost. */
function noteOn({ runId, attempt, runsBefore, resumed }: Work): string {
  const isFirstOfLife = runId === String(BigInt(runsBefore) + 1n) && attempt === 1
  if (!isFirstOfLife || resumed) return LOST_CONVERSATION
  return runsBefore === '0' ? '' : EARLIER_LIFE
}

const LOST_CONVERSATION =
  'You have worked on this before, but that conversation is lost. Your work is in the workspace.'

const EARLIER_LIFE =
  'An agent of this name worked here before. Its branch and unfinished work may be in the workspace. ' +
  'This is new work: you do not continue that conversation.'

function taskOf({ description, expectedOutput }: Work): string {
  return expectedOutput === '' ? description : `${description}\n\nExpected output: ${expectedOutput}`
}

function messagesOf({ messages }: Pick<Work, 'messages'>): string {
  return messages.map(({ description }) => description).join('\n\n')
}
