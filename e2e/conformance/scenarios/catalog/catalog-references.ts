import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'

export async function catalogReferences(book: Book, api: Api): Promise<void> {
  await api.write('environment', 'used', {})
  await api.write('workspace', 'user', { environment: 'used' })
  const referenced = await api.delete('environment', 'used')
  book.precondition('deleting what something refers to is FAILED_PRECONDITION', referenced)
  book.row('… and names the referrers', referenced.text.includes('workspace/user'), referenced.text)
  await api.delete('workspace', 'user')
}
