import { codexSubject } from './codex-subject.ts'
import { describeConformance } from './conformance.ts'

await describeConformance(codexSubject)
