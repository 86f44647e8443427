import { expect, test } from 'bun:test'
import { readSettings, SettingError } from './read-settings.ts'

const KEYS = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hush-hush' }
const bucketIn = (environment: Record<string, string>) => readSettings(environment).assetBucket

test('assets go to a folder by default', () => {
  expect(bucketIn({})).toBeNull()
  expect(bucketIn({ TURNPIKE_ASSET_STORE: 'folder', ...KEYS })).toBeNull()
})

test('reads a bucket with its region, endpoint and keys', () => {
  const plain = {
    endpoint: null,
    region: null,
    sessionToken: null,
    accessKeyId: 'AKID',
    secretAccessKey: 'hush-hush',
  }
  expect(bucketIn({ TURNPIKE_ASSET_STORE: 's3://my.bucket', ...KEYS })).toEqual({
    bucket: 'my.bucket',
    prefix: '',
    ...plain,
  })
  const more = {
    TURNPIKE_S3_ENDPOINT: 'http://127.0.0.1:9000',
    AWS_REGION: 'eu-1',
    AWS_SESSION_TOKEN: 'token',
  }
  expect(bucketIn({ TURNPIKE_ASSET_STORE: 's3://bucket/a/b/', ...KEYS, ...more })).toEqual({
    bucket: 'bucket',
    prefix: 'a/b',
    ...plain,
    endpoint: 'http://127.0.0.1:9000',
    region: 'eu-1',
    sessionToken: 'token',
  })
})

test.each(['disk', 's3:bucket', 's3://', 's3://B', 's3://bucket/ä', 's3://bucket?x', 'https://bucket.test'])(
  '%s is no store',
  (store) => {
    const message = `TURNPIKE_ASSET_STORE is ${JSON.stringify(store)}; it must be folder or s3://bucket/prefix.`
    expect(() => bucketIn({ TURNPIKE_ASSET_STORE: store, ...KEYS })).toThrow(new SettingError(message))
  },
)

test.each(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])('a bucket needs %s', (name) => {
  const environment = { TURNPIKE_ASSET_STORE: 's3://bucket', ...KEYS, [name]: '' }
  expect(() => bucketIn(environment)).toThrow(new RegExp(`^${name} is not set`))
})

test('the message does not repeat an invalid endpoint', () => {
  const environment = {
    TURNPIKE_ASSET_STORE: 's3://bucket',
    ...KEYS,
    TURNPIKE_S3_ENDPOINT: 'http://me:hush@x',
  }
  expect(() => bucketIn(environment)).toThrow(/^TURNPIKE_S3_ENDPOINT is invalid/)
  expect(() => bucketIn(environment)).not.toThrow(/hush/)
})
