import type { Resource } from '@skein/client'
import { defaultWorkspace } from '@skein/contract'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { findViolation } from '../../ui/field-violations.ts'
import type { FormSectionProps } from './form-section.ts'

/** What is to be done, where, and under which name. */
export function WorkSection({
  form,
  problems,
  onChange,
  workspaces,
  parentName,
}: FormSectionProps & { readonly workspaces: readonly Resource[]; readonly parentName: string | undefined }) {
  return (
    <Card title="The work">
      <div className="flex flex-col gap-4 p-4">
        <TextArea
          label="What is to be done"
          hint="Markdown. The more the agent knows, the less it asks."
          error={findViolation(problems, 'description')}
          rows={7}
          required
          value={form.description}
          onChange={({ target }) => onChange({ description: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
        <TextArea
          label="What you want to get"
          hint="Optional. Such as: a pull request with a passing test."
          error={findViolation(problems, 'expectedOutput')}
          rows={2}
          value={form.expectedOutput}
          onChange={({ target }) => onChange({ expectedOutput: target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          {parentName === undefined ? (
            <SelectField
              label="Workspace"
              hint={describe(workspaces, form.workspace) ?? 'Its repositories and environment.'}
              error={findViolation(problems, 'agentId.workspace')}
              choices={[
                {
                  value: '',
                  label: `Choose for me (${defaultWorkspace(workspaces.map(({ name }) => name))})`,
                },
                ...workspaces.map(({ name }) => ({ value: name, label: name })),
              ]}
              value={form.workspace}
              onChange={({ target }) => onChange({ workspace: target.value })}
            />
          ) : (
            <TextField
              label="Parent"
              hint="The child has its workspace and its owner."
              value={parentName}
              readOnly
            />
          )}
          <TextField
            label="Name"
            hint="Optional. One is made up when left out."
            error={findViolation(problems, 'agentId.agent')}
            autoComplete="off"
            spellCheck={false}
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        </div>
      </div>
    </Card>
  )
}

function describe(resources: readonly Resource[], name: string): string | undefined {
  const description = resources.find((resource) => resource.name === name)?.document['description']
  return typeof description === 'string' && description !== '' ? description : undefined
}
