import type { AgentAddress } from '@skein/client'
import { defaultWorkspace } from '@skein/contract/facts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState, type FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { readFieldViolations, type FieldViolations } from '../../ui/field-violations.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { resourcesQuery } from '../../catalog/catalog-queries.ts'
import { checkSpawnForm } from './check-spawn-form.ts'
import { readBackend } from './model-choices.ts'
import { OptionalFields } from './optional-fields.tsx'
import { PlanSection } from './plan-section.tsx'
import { makeRandomId } from '../../format/random-id.ts'
import { SameSpawn } from './same-spawn.tsx'
import { SettingsSection } from './settings-section.tsx'
import { EMPTY_FORM, toSpawnFields, type SpawnForm } from './spawn-form.ts'
import { useSpawn } from './use-spawn.ts'
import { WorkSection } from './work-section.tsx'

/** The form, with the equivalent command next to it. */
export function SpawnBoard({
  parent,
  parentName,
  initial = EMPTY_FORM,
}: {
  readonly parent: AgentAddress | undefined
  readonly parentName: string | undefined
  readonly initial?: SpawnForm
}) {
  const workspaces = useQuery(resourcesQuery('workspace'))
  const personas = useQuery(resourcesQuery('persona'))
  const backends = useQuery({
    ...resourcesQuery('backend'),
    select: (resources) => resources.map((resource) => readBackend(resource)),
  })
  const catalogError = workspaces.error ?? personas.error ?? backends.error
  const [form, setForm] = useState(initial)
  const [isChecked, setIsChecked] = useState(false)
  // A child needs a name. It is fixed while the form is edited, so that running the shown command twice has one
  // effect.
  const [childName] = useState(() => `child-${makeRandomId().slice(0, 8)}`)
  const spawn = useSpawn(parent)
  const fields = useMemo(() => {
    const filled = toSpawnFields(form)
    return parent !== undefined && filled.name === undefined ? { ...filled, name: childName } : filled
  }, [form, parent, childName])
  const ownProblems = useMemo(() => checkSpawnForm(form), [form])
  const problems = { ...readFieldViolations(spawn.error), ...(isChecked && ownProblems) }
  const change = (part: Partial<SpawnForm>): void => {
    setForm((current) => ({ ...current, ...part }))
    if (spawn.isError) spawn.reset()
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setIsChecked(true)
    if (Object.keys(ownProblems).length > 0) {
      // After the errors are rendered.
      const { currentTarget } = event
      requestAnimationFrame(() => currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
      return
    }
    if (!spawn.isPending && !spawn.isSuccess) spawn.mutate(fields)
  }
  const section = { form, problems, onChange: change }
  const names = workspaces.data?.map(({ name }) => name) ?? []
  const chosen = (parent?.workspace ?? form.workspace) || defaultWorkspace(names)
  return (
    <form
      noValidate
      onSubmit={submit}
      className="flex min-w-0 flex-col gap-5 lg:grid lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:items-start"
    >
      <div className="flex min-w-0 flex-col gap-5">
        <WorkSection {...section} workspaces={workspaces.data ?? []} parentName={parentName} />
        <OptionalFields isNeeded={hasOptionalProblem(problems)}>
          <SettingsSection
            {...section}
            workspace={workspaces.data?.find(({ name }) => name === chosen)}
            personas={personas.data ?? []}
            backends={backends.data ?? []}
          />
          <PlanSection {...section} />
        </OptionalFields>
      </div>
      <div className="min-w-0 flex-col gap-4 max-lg:contents lg:sticky lg:top-6 lg:flex">
        {catalogError && <ErrorNotice error={catalogError} />}
        {spawn.isError && <ErrorNotice error={spawn.error} />}
        {/* Always visible on a phone, above the navigation. */}
        <div className="max-lg:sticky max-lg:bottom-13 max-lg:z-10 max-lg:-mx-4 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-4 max-lg:py-3">
          <Button look="primary" type="submit" isBusy={spawn.isPending || spawn.isSuccess} className="w-full">
            {spawn.isPending ? 'Spawning…' : parent === undefined ? 'Spawn agent' : 'Spawn child'}
          </Button>
        </div>
        <SameSpawn fields={fields} parent={parent} parentName={parentName} />
      </div>
    </form>
  )
}

/** Fields that are always visible. */
const WORK_FIELDS = ['description', 'expectedOutput', 'agentId']

function hasOptionalProblem(problems: FieldViolations): boolean {
  return Object.keys(problems).some((field) => !WORK_FIELDS.some((work) => field.startsWith(work)))
}
