import { fileURLToPath } from 'node:url'
import type { BlobStore } from './blob-store.ts'
import { FileBlobStore } from './file-blob-store.ts'
import { S3BlobStore } from './s3-blob-store.ts'

/**
 * `file:///directory`, or `s3://key:secret@host/bucket/prefix?region=…` for any store that speaks S3; `s3+http:` for
 * one without TLS. The secret must be percent-encoded.
 */
export function openBlobStore(address: string): BlobStore {
  const url = URL.canParse(address) ? new URL(address) : undefined
  switch (url?.protocol) {
    case 'file:':
      return new FileBlobStore(fileURLToPath(url))
    case 's3:':
    case 's3+http:': {
      const [, bucket = '', ...prefix] = url.pathname.split('/').map(decodeURIComponent)
      if (bucket === '' || url.host === '')
        throw new Error('The address of the blob store needs a host and a bucket')
      return new S3BlobStore({
        endpoint: `${url.protocol === 's3:' ? 'https' : 'http'}://${url.host}`,
        bucket,
        prefix: prefix.filter(Boolean).join('/'),
        region: url.searchParams.get('region') ?? 'us-east-1',
        accessKeyId: decodeURIComponent(url.username),
        secretAccessKey: decodeURIComponent(url.password),
      })
    }
    default:
      // Without the address itself, which may hold a secret.
      throw new Error('The address of the blob store must begin with file:, s3: or s3+http:')
  }
}
