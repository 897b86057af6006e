import { createContext, type ReactNode } from 'react'

/** The run the agent failed with, and what can be done about it. */
interface FailedRun {
  readonly runId: string
  readonly message: string
  readonly code: string
  readonly action: ReactNode
}

export const FailedRunContext = createContext<FailedRun | undefined>(undefined)
