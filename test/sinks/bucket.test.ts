import { afterEach, expect, test } from 'bun:test'
import { createSinkFileWriter } from '../../src/edges/sink-files/write-sink-file.ts'
import { S3_KEYS, S3_REGION, type S3Server, startS3Server } from '../assets/support/s3-server.ts'

let s3: S3Server
afterEach(() => s3.stop())

test('a batch is an object of the bucket, and a batch that is sent again replaces it', async () => {
  s3 = startS3Server('archive')
  const access = { ...S3_KEYS, endpoint: s3.url, region: S3_REGION, sessionToken: null }
  const write = createSinkFileWriter({ folder: '/nowhere', access })
  const file = { target: 's3://archive/turnpike/prod', path: 'settlements/2026-06-10/a.jsonl' }
  expect(await write({ ...file, text: '{"a":1}\n' })).toBeNull()
  expect(await write({ ...file, text: '{"a":1}\n{"a":2}\n' })).toBeNull()
  const stored = [...s3.objects].map(([key, { content, type }]) => [
    key,
    new TextDecoder().decode(content),
    type,
  ])
  expect(stored).toEqual([
    ['turnpike/prod/settlements/2026-06-10/a.jsonl', '{"a":1}\n{"a":2}\n', 'application/x-ndjson'],
  ])
})

test('reasons name neither address nor key', async () => {
  s3 = startS3Server('archive')
  const wrong = { accessKeyId: 'AKIDWRONG', secretAccessKey: 'wrong-secret' }
  const access = { ...wrong, endpoint: s3.url, region: S3_REGION, sessionToken: null }
  const file = { target: 's3://archive', path: 'events/a.jsonl', text: '{}\n' }
  const reason = await createSinkFileWriter({ folder: '/nowhere', access })(file)
  expect(reason).toBe('The file could not be written (SignatureDoesNotMatch).')
  expect(await createSinkFileWriter({ folder: '/nowhere', access: null })(file)).toBe(
    'The keys for buckets are not set.',
  )
})
