import { describe, expect, test } from 'vitest'
import { openBlobStore } from '../../src/blobs/open-blob-store.ts'
import { parseS3Address } from '../../src/blobs/s3-address.ts'

function parse(address: string, env: Record<string, string> = {}) {
  return parseS3Address(new URL(address), env, 'SKEIN_BLOBS')
}

describe('where objects are', () => {
  const minio = encodeURIComponent('https://minio.example.com:9000')

  test.each([
    ['s3://runs', {}, 'https://runs.s3.us-east-1.amazonaws.com', 'us-east-1'],
    ['s3://runs/a/b/?region=eu-west-1', {}, 'https://runs.s3.eu-west-1.amazonaws.com/a/b', 'eu-west-1'],
    ['s3://my.runs/a', {}, 'https://s3.us-east-1.amazonaws.com/my.runs/a', 'us-east-1'],
    ['s3://runs?pathStyle=true', {}, 'https://s3.us-east-1.amazonaws.com/runs', 'us-east-1'],
    [`s3://runs/a?endpoint=${minio}`, {}, 'https://minio.example.com:9000/runs/a', 'us-east-1'],
    [
      `s3://runs/a?endpoint=${minio}&pathStyle=false`,
      {},
      'https://runs.minio.example.com:9000/a',
      'us-east-1',
    ],
    ['s3://runs/a%20b/ü', {}, 'https://runs.s3.us-east-1.amazonaws.com/a%20b/%C3%BC', 'us-east-1'],
    ['s3://runs', { AWS_REGION: 'eu-north-1' }, 'https://runs.s3.eu-north-1.amazonaws.com', 'eu-north-1'],
    [
      's3://runs',
      { AWS_DEFAULT_REGION: 'eu-north-1' },
      'https://runs.s3.eu-north-1.amazonaws.com',
      'eu-north-1',
    ],
    ['s3://runs', { AWS_ENDPOINT_URL: 'http://localhost:9000' }, 'http://localhost:9000/runs', 'us-east-1'],
    [
      `s3://runs?endpoint=${minio}`,
      { AWS_ENDPOINT_URL_S3: 'http://localhost:9000' },
      'https://minio.example.com:9000/runs',
      'us-east-1',
    ],
  ])('%s with %j', (address, env, base, region) => {
    expect(parse(address, env)).toMatchObject({ base, region })
  })

  test.each([
    ['s3://runs', 'https://runs.s3.us-east-1.amazonaws.com', ''],
    ['s3://runs/a%20b/c', 'https://runs.s3.us-east-1.amazonaws.com', 'a b/c/'],
    [`s3://runs/a?endpoint=${minio}`, 'https://minio.example.com:9000/runs', 'a/'],
  ])('those of %s are listed at %s', (address, bucket, prefix) => {
    expect(parse(address)).toMatchObject({ bucket, prefix })
  })
})

describe('what is refused', () => {
  test.each([
    's3://KEY:se%2Fcret@runs/a',
    's3://localhost:9000/runs',
    's3://',
    's3://a..b',
    's3://runs?endpoint=minio',
    's3://runs?endpoint=https://minio/path',
    's3://runs?pathstyle=true',
    's3://runs?pathStyle=yes',
    's3://runs/a/%2e%2e%2fb',
    's3://runs/..%2F..%2Fother',
    'ftp://host/x',
    'nonsense',
  ])('%s, without being repeated', (address) => {
    const attempt = () => openBlobStore({ setting: 'SKEIN_BLOBS', address }, {})
    expect(attempt).toThrow(/URL of the blob store/)
    expect(attempt).not.toThrow(/cret|other/)
  })
})
