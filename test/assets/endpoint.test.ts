import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FolderFiles } from '../../src/edges/assets/folder-files.ts'
import { S3Files } from '../../src/edges/assets/s3-files.ts'
import { SignedAssets } from '../../src/edges/assets/signed-assets.ts'
import { deriveAssetKey } from '../../src/rules/access/server-secret.ts'
import { PNG_ALPHA } from '../../src/wire/images/testing/samples.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { S3_KEYS, S3_REGION, type S3Server, startS3Server } from './support/s3-server.ts'

const HOUR_MS = 60 * 60 * 1_000
const SECRET = 'secret-of-this-gateway'

let gateway: TestGateway | null = null
let s3: S3Server | null = null
const folders: string[] = []
afterEach(async () => {
  await gateway?.stop()
  await s3?.stop()
  for (const folder of folders.splice(0)) removeDataFolder(folder)
  gateway = null
  s3 = null
})

const clock = createMovableClock()
const lifetimeMs = 2 * HOUR_MS

interface Started {
  readonly dataFolder: string
  /** The same store as the gateway's, beside it. */
  readonly assets: SignedAssets
}

async function start(environment: Record<string, string> = {}): Promise<Started> {
  const dataFolder = makeDataFolder()
  folders.push(dataFolder)
  gateway = await startTestGateway({
    clock,
    dataFolder,
    environment: { TURNPIKE_SECRET: SECRET, ...environment },
  })
  const files = new FolderFiles(join(dataFolder, 'assets'))
  return { dataFolder, assets: new SignedAssets({ files, key: deriveAssetKey(SECRET), lifetimeMs, clock }) }
}

function ask(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`${gateway?.url}${path}`, { redirect: 'error', ...init })
}

const EXPECTED_HEADERS = {
  'content-type': 'image/png',
  'content-length': String(PNG_ALPHA.length),
  'content-disposition': 'inline',
  'cache-control': 'private, max-age=7200, immutable',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

describe('GET /assets/:name', () => {
  test('serves the image without a key', async () => {
    const { assets } = await start()
    const { path } = await assets.save(PNG_ALPHA, 'image/png')
    const response = await ask(path)
    expect(response.status).toBe(200)
    expect(await response.bytes()).toEqual(PNG_ALPHA)
    expect(Object.fromEntries(response.headers)).toMatchObject(EXPECTED_HEADERS)
    const head = await ask(path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(Object.fromEntries(head.headers)).toMatchObject(EXPECTED_HEADERS)
  })

  test('gives the same 404 for expired, altered, foreign and unknown URLs and for folders', async () => {
    const { assets, dataFolder } = await start()
    const { path } = await assets.save(PNG_ALPHA, 'image/png')
    const otherFiles = new FolderFiles(join(dataFolder, 'assets'))
    const foreign = new SignedAssets({ files: otherFiles, key: deriveAssetKey('another'), lifetimeMs, clock })
    const [name = '', query = ''] = path.slice('/assets/'.length).split('?')
    const folder = readdirSync(join(dataFolder, 'assets'))[0] ?? ''
    const wrong = [
      path.replace(/expires=\d/, 'expires=9'),
      path.replace('.png', '.webp'),
      (await foreign.save(PNG_ALPHA, 'image/png')).path,
      `/assets/${'x'.repeat(32)}.png?${query}`,
      `/assets/${name}`,
      `/assets/${folder}`,
      `/assets/${folder}%2F${name}?${query}`,
      `/assets/..%2Fturnpike.sqlite?${query}`,
    ]
    const answers = await Promise.all(wrong.map((address) => answerTo(address)))
    clock.advance(lifetimeMs + 1_000)
    answers.push(await answerTo(path))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 404, error: { code: 'not_found' } })
  })

  test('does not list assets', async () => {
    await start()
    for (const path of ['/assets', '/assets/']) expect((await ask(path)).status).toBe(404)
  })

  test('refuses other methods', async () => {
    const { assets } = await start()
    const { path } = await assets.save(PNG_ALPHA, 'image/png')
    for (const method of ['DELETE', 'PUT', 'POST']) expect((await ask(path, { method })).status).toBe(405)
    expect((await ask(path)).status).toBe(200)
  })
})

async function answerTo(path: string): Promise<unknown> {
  const response = await ask(path)
  return { status: response.status, ...((await response.json()) as object) }
}

test('a start deletes expired assets and uploads that a crash left behind', async () => {
  const dataFolder = makeDataFolder()
  folders.push(dataFolder)
  for (const path of ['assets/00000001', 'uploads']) {
    mkdirSync(join(dataFolder, path), { recursive: true })
    writeFileSync(join(dataFolder, path, 'left'), 'x')
  }
  gateway = await startTestGateway({ dataFolder })
  expect(readdirSync(join(dataFolder, 'uploads'))).toEqual([])
  await gateway.stop()
  gateway = null
  expect(readdirSync(join(dataFolder, 'assets'))).toEqual([])
})

test('a gateway with a bucket serves from it', async () => {
  s3 = startS3Server('images')
  await start({
    TURNPIKE_ASSET_STORE: 's3://images/made/',
    TURNPIKE_S3_ENDPOINT: s3.url,
    AWS_REGION: S3_REGION,
    AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
  })
  const bucket = {
    bucket: 'images',
    prefix: 'made',
    endpoint: s3.url,
    region: S3_REGION,
    sessionToken: null,
  }
  const files = new S3Files({ ...bucket, ...S3_KEYS })
  const assets = new SignedAssets({ files, key: deriveAssetKey(SECRET), lifetimeMs, clock })
  const { path } = await assets.save(PNG_ALPHA, 'image/png')
  const response = await ask(path)
  expect(await response.bytes()).toEqual(PNG_ALPHA)
  const { 'content-length': _length, ...headers } = EXPECTED_HEADERS
  expect(Object.fromEntries(response.headers)).toMatchObject(headers)
  const head = await ask(path, { method: 'HEAD' })
  expect(Object.fromEntries(head.headers)).toMatchObject(headers)
  s3.objects.clear()
  expect((await ask(path)).status).toBe(404)
})
