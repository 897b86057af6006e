import { claudeSubject } from './claude-subject.ts'
import { describeConformance } from './conformance.ts'

await describeConformance(claudeSubject)
