import type { Resource } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toastError, toastSuccess } from '../../../ui/toasts.tsx'
import { findResource } from '../../../catalog/catalog-queries.ts'
import type { Theirs } from '../dialogs/conflict-dialog.tsx'
import { makeTemplate } from './document-template.ts'
import { isOutdated, isTouched, rebaseDraft, startDraft, type Draft } from './draft.ts'
import { readAuthorship, toHeldText } from './held-text.ts'
import { readEditable, type EditedKind } from '../../../catalog/resource-text.ts'
import { isConflict, noticeWrite, writeResource } from '../../../catalog/write-resource.ts'

/** A resource being edited, including concurrent changes by others. */
export function useResourceDraft(kind: EditedKind, name: string, resource: Resource | null) {
  const [draft, setDraft] = useState(() => openDraft(kind, resource))
  const [theirs, setTheirs] = useState<Theirs>()
  /** Shown next to the editor while merging by hand. */
  const [merging, setMerging] = useState<Theirs>()
  const [isCustomising, setIsCustomising] = useState(false)
  const [oneTime, setOneTime] = useState<Readonly<Record<string, string>>>()
  const held = toHeldText(kind, resource)
  const hasNewer = isOutdated(draft, held)
  // There are no local changes: just show the new version.
  if (hasNewer && !isTouched(draft) && theirs === undefined) setDraft(openDraft(kind, resource))

  const save = useMutation({
    mutationFn: ({ base, justification }: { readonly base: Draft['base']; readonly justification: string }) =>
      writeResource({
        kind,
        name,
        document: readEditable(kind, name, draft.text).document,
        ifGeneration: base.generation,
        justification,
      }),
    onSuccess: ({ resource: written, oneTime: secrets }) => {
      setDraft(openDraft(kind, written))
      setTheirs(undefined)
      setMerging(undefined)
      setIsCustomising(false)
      toastSuccess(`Saved ${name} as generation ${written.generation}.`)
      if (Object.keys(secrets).length > 0) setOneTime(secrets)
    },
    onError: async (error) => {
      if (isConflict(error)) await showTheirs()
    },
  })

  const showTheirs = async (): Promise<void> => {
    const latest = await findResource(kind.kind, name).catch((error: unknown) => {
      toastError(error)
      return undefined
    })
    if (latest === undefined) return
    noticeWrite(kind.kind, name, latest)
    setTheirs({
      ...toHeldText(kind, latest),
      ...(latest === null ? { updatedBy: '', updateTime: '' } : readAuthorship(latest)),
      isDeleted: latest === null,
    })
  }

  return {
    draft,
    theirs,
    merging,
    oneTime,
    save,
    /** A built-in stays read-only until the user chooses to customise it. */
    isCustomising,
    customise: () => setIsCustomising(true),
    hasNewer: hasNewer && isTouched(draft),
    edit: (text: string) => setDraft((current) => ({ ...current, text })),
    discard: () => setDraft(openDraft(kind, resource)),
    showTheirs,
    hideTheirs: () => setTheirs(undefined),
    takeTheirs: (taken: Theirs) => {
      setDraft(startDraft(taken))
      setTheirs(undefined)
      setMerging(undefined)
    },
    keepEditing: (taken: Theirs) => {
      setDraft((current) => rebaseDraft(current, taken))
      setMerging(taken)
      setTheirs(undefined)
    },
    endMerging: () => setMerging(undefined),
    forgetOneTime: () => setOneTime(undefined),
  }
}

export type ResourceDraft = ReturnType<typeof useResourceDraft>

function openDraft(kind: EditedKind, resource: Resource | null): Draft {
  const held = toHeldText(kind, resource)
  return resource === null ? startDraft(held, makeTemplate(kind)) : startDraft(held)
}
