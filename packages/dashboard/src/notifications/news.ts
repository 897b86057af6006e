import type { LinkProps } from '@tanstack/react-router'

/** Something that a person should know. */
export interface News {
  /** The same for later news about the same thing, which then takes its place. */
  readonly key: string
  readonly title: string
  readonly text: string
  /** The page that says more. */
  readonly link: Pick<LinkProps, 'to' | 'params'>
}
