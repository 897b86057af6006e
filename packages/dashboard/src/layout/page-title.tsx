import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { titleOf } from './title-of.ts'
import { useQuestionCount } from './use-question-count.ts'

/** Sets the browser tab's title, with the number of open questions. */
export function PageTitle() {
  const { pathname } = useLocation()
  const count = useQuestionCount()
  const title = titleOf(pathname, count)
  useEffect(() => {
    document.title = title
    return () => {
      document.title = 'Skein'
    }
  }, [title])
  return null
}
