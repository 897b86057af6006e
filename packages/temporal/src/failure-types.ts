/** The agent failed. Here and not beside their use, because workflows must not load what activities need. */
export const AGENT_FAILED = 'SkeinAgentFailed'
/** Somebody ended the agent. */
export const AGENT_CANCELED = 'SkeinAgentCanceled'
