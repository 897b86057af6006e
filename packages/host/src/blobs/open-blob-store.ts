import { fileURLToPath } from 'node:url'
import { ConfigError } from '@skein/contract'
import type { BlobStore } from './blob-store.ts'
import { FileBlobStore } from './file-blob-store.ts'
import { parseS3Address } from './s3-address.ts'
import { S3BlobStore } from './s3-blob-store.ts'

interface BlobStoreSetting {
  /** The setting that has the address, for errors. */
  readonly setting: string
  readonly address: string
}

/** `file:/directory`, or `s3://bucket/prefix` for any S3-compatible store. */
export function openBlobStore(
  { setting, address }: BlobStoreSetting,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): BlobStore {
  const url = URL.canParse(address) ? new URL(address) : undefined
  switch (url?.protocol) {
    case 'file:':
      return new FileBlobStore(fileURLToPath(url))
    case 's3:':
      return new S3BlobStore(parseS3Address(url, env, setting))
    default:
      throw new ConfigError(`The URL of the blob store (${setting}) must start with file: or s3:.`)
  }
}
