import type { SubmitEvent } from 'react'

/** For a form that the page submits itself: the browser must not load it again. */
export function submitting(submit: () => void): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault()
    submit()
  }
}
