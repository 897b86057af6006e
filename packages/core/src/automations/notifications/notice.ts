import { TOPICS, type Topic } from '@skein/contract/facts'

/** One thing to tell people. Texts are as agents wrote them: each format makes them harmless in its own way. */
export interface Notice {
  readonly topic: Topic
  /** Who it is about, such as `shop/fix-checkout`. */
  readonly subject: string
  readonly url: string
  /** Budget: how much of it is spent. */
  readonly percent?: number
  /** Budget: whether it is about a budget of a month, not of an agent. */
  readonly isMonthly?: boolean
  readonly detail: string
}

/** What a message contains. */
export interface Message {
  readonly notices: readonly Notice[]
  /** Where to find what has no room in the message. */
  readonly url: string
}

/** What has happened, in words that follow the subject. */
export function headlineOf({ topic, isMonthly = false, percent = 0 }: Notice): string {
  switch (topic) {
    case 'question':
      return 'asks'
    case 'failed':
      return 'has failed'
    case 'budget':
      if (isMonthly) return percent >= 100 ? 'is used up' : `is used to ${percent} %`
      return percent >= 100 ? 'has used up its budget' : `has spent ${percent} % of its budget`
    case 'integration-disabled':
      return 'was disabled: nothing is sent to it any more'
    case 'finished':
      return 'has finished'
  }
}

/** The most urgent first; those of one topic in the order in which they happened. */
export function byUrgency(notices: readonly Notice[]): Notice[] {
  return notices.toSorted((one, other) => TOPICS.indexOf(one.topic) - TOPICS.indexOf(other.topic))
}

const COUNTED: Readonly<Record<Topic, readonly [one: string, many: string]>> = {
  question: ['question', 'questions'],
  failed: ['failure', 'failures'],
  budget: ['budget', 'budgets'],
  'integration-disabled': ['disabled integration', 'disabled integrations'],
  finished: ['finished agent', 'finished agents'],
}

/** Such as `2 questions, 1 finished agent`. */
export function countTopics(notices: readonly Notice[]): string {
  const byTopic = Map.groupBy(notices, ({ topic }) => topic)
  return TOPICS.flatMap((topic) => {
    const amount = byTopic.get(topic)?.length ?? 0
    return amount === 0 ? [] : [`${amount} ${COUNTED[topic][amount === 1 ? 0 : 1]}`]
  }).join(', ')
}

/** In one line. Contains nothing that an agent wrote. */
export function titleOf({ notices }: Message): string {
  const [first] = notices
  if (!first) return 'Skein'
  return notices.length === 1 ? `${first.subject} ${headlineOf(first)}` : countTopics(notices)
}
