/** Integrations that send messages to people; all others send events to programs. */
export const PEOPLE_TYPES = ['slack', 'teams', 'discord', 'ntfy', 'email'] as const
export type PeopleType = (typeof PEOPLE_TYPES)[number]

/** What people are told, most urgent first. */
export const TOPICS = ['question', 'failed', 'budget', 'integration-disabled', 'finished'] as const
export type Topic = (typeof TOPICS)[number]

export function isForPeople(type: string): type is PeopleType {
  return PEOPLE_TYPES.some((known) => known === type)
}
