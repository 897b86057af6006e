import { answerJobs } from '@skein/schema-check'
import { checkTexts, evaluate, type EvaluateJob } from './evaluate-rules.ts'
import type { TriggerText } from '@skein/core'

export type RuleJob =
  | { readonly type: 'check'; readonly texts: readonly TriggerText[] }
  | ({ readonly type: 'evaluate' } & EvaluateJob)

answerJobs((job: RuleJob) => (job.type === 'check' ? checkTexts(job.texts) : evaluate(job)))
