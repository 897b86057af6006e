import type { Resource } from '@skein/client'
import { useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import type { CodeEditorHandle } from './code-editor-props.ts'
import { CodeEditor } from './code-editor.tsx'
import { ConflictDialog } from '../dialogs/conflict-dialog.tsx'
import { isTouched } from './draft.ts'
import { EditorNotices } from './editor-notices.tsx'
import { ProblemList } from './problem-list.tsx'
import { formatEditable, type EditedKind } from '../../../catalog/resource-text.ts'
import { ReviewDialog } from '../dialogs/review-dialog.tsx'
import { SchemaHelp } from './schema-help.tsx'
import { SecretDialog } from '../../../catalog/secret-dialog.tsx'
import { useDocumentCheck } from './use-document-check.ts'
import type { ResourceDraft } from './use-resource-draft.ts'
import { isConflict } from '../../../catalog/write-resource.ts'

/** Edits a document in its own format, with field help and a review before each save. */
export function ResourceEditor({
  kind,
  name,
  resource,
  work,
  canWrite,
}: {
  readonly kind: EditedKind
  readonly name: string
  readonly resource: Resource | null
  readonly work: ResourceDraft
  readonly canWrite: boolean
}) {
  const editor = useRef<CodeEditorHandle>(null)
  const [isReviewing, setIsReviewing] = useState(false)
  const { draft, save, isCustomising } = work
  const { document, problems, isWrong, settled } = useDocumentCheck(kind, name, draft.text, save.error)
  const isBuiltIn = resource?.isBuiltIn === true && !isCustomising
  const isReadOnly = !canWrite || isBuiltIn
  const hasWork = resource === null || isCustomising || isTouched(draft)
  // Exactly what would be stored: comments and field order in the text are not.
  const after = formatEditable(kind, document)
  return (
    <div className="grid min-h-0 items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        <EditorNotices
          kind={kind.kind}
          resource={resource}
          canWrite={canWrite}
          isCustomising={isCustomising}
          onCustomise={work.customise}
          hasNewer={work.hasNewer}
          onShowNewer={() => {
            save.reset()
            void work.showTheirs()
          }}
          merging={work.merging}
          onEndMerging={work.endMerging}
        />
        <Card
          title={kind.bodyField === undefined ? 'YAML' : 'Markdown with front matter'}
          actions={
            !isReadOnly && (
              <div className="flex gap-2">
                {isTouched(draft) && (
                  <Button size="small" look="quiet" onClick={work.discard}>
                    Discard
                  </Button>
                )}
                <Button
                  size="small"
                  look="primary"
                  disabled={!hasWork || isWrong || settled !== draft.text}
                  onClick={() => {
                    save.reset()
                    setIsReviewing(true)
                  }}
                >
                  {resource === null ? 'Review and create' : 'Review and save'}
                </Button>
              </div>
            )
          }
        >
          <div className="h-[28rem] min-h-0">
            <CodeEditor
              ref={editor}
              label={`${kind.kind} ${name}`}
              value={draft.text}
              format={kind.bodyField === undefined ? 'yaml' : 'markdown'}
              isReadOnly={isReadOnly}
              problems={problems}
              onChange={work.edit}
            />
          </div>
          {!isReadOnly && (
            <ProblemList
              text={settled}
              problems={problems}
              onSelect={(offset) => editor.current?.goTo(offset)}
            />
          )}
        </Card>
      </div>
      <Card title={`Fields: ${kind.kind}`}>
        <div tabIndex={0} role="group" aria-label="Fields" className="max-h-[32rem] overflow-y-auto">
          <SchemaHelp schema={kind.schema} />
        </div>
      </Card>
      <ReviewDialog
        isOpen={isReviewing && work.theirs === undefined}
        onClose={() => setIsReviewing(false)}
        title={resource === null ? `Create ${name}` : `Save ${name}`}
        description={
          resource === null
            ? `A new ${kind.kind}.`
            : `Creates the generation after ${draft.base.generation}; the history keeps the current one.`
        }
        before={draft.base.text}
        after={after}
        confirmLabel={resource === null ? 'Create' : 'Save'}
        isBusy={save.isPending}
        error={save.error}
        onConfirm={(justification) =>
          save.mutate({ base: draft.base, justification }, { onSuccess: () => setIsReviewing(false) })
        }
      />
      <ConflictDialog
        theirs={work.theirs}
        base={draft.base}
        mine={after}
        isBusy={save.isPending}
        // The dialog itself shows the conflict.
        error={isConflict(save.error) ? null : save.error}
        onClose={work.hideTheirs}
        onTakeTheirs={(theirs) => {
          setIsReviewing(false)
          work.takeTheirs(theirs)
        }}
        onKeepEditing={(theirs) => {
          setIsReviewing(false)
          work.keepEditing(theirs)
        }}
        onOverwrite={(theirs, justification) =>
          save.mutate({ base: theirs, justification }, { onSuccess: () => setIsReviewing(false) })
        }
      />
      <SecretDialog title={`Secret of ${name}`} secrets={work.oneTime} onClose={work.forgetOneTime} />
    </div>
  )
}
