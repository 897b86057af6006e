import type { FieldViolations } from '../../ui/field-violations.ts'
import type { SpawnForm } from './spawn-form.ts'

/** Props of every section of the form. */
export interface FormSectionProps {
  readonly form: SpawnForm
  readonly problems: FieldViolations
  readonly onChange: (change: Partial<SpawnForm>) => void
}
