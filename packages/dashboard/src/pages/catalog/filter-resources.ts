import type { Resource } from '@skein/client'

export function readDescription({ document }: Pick<Resource, 'document'>): string {
  const { description } = document
  return typeof description === 'string' ? description : ''
}

/** Resources whose name or description contains every word. */
export function filterResources(resources: readonly Resource[], text: string): readonly Resource[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return resources
  return resources.filter((resource) => {
    const searched = `${resource.name} ${readDescription(resource)}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}
