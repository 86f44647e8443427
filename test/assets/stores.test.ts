import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AssetFiles } from '../../src/edges/assets/asset-files.ts'
import { FolderFiles } from '../../src/edges/assets/folder-files.ts'
import { S3Files } from '../../src/edges/assets/s3-files.ts'
import { SignedAssets } from '../../src/edges/assets/signed-assets.ts'
import { deriveAssetKey } from '../../src/rules/access/server-secret.ts'
import type { Asset } from '../../src/serve/ports/assets.ts'
import { PNG_ALPHA } from '../../src/wire/images/testing/samples.ts'
import { makeDataFolder, removeDataFolder } from '../support/test-gateway.ts'
import { S3_KEYS, S3_REGION, type S3Server, startS3Server } from './support/s3-server.ts'

const HOUR_MS = 60 * 60 * 1_000
const BUCKET = 'images'

let folder: string
let s3: S3Server
let nowMs: number
beforeEach(() => {
  folder = makeDataFolder()
  s3 = startS3Server(BUCKET)
  nowMs = Date.UTC(2026, 0, 5, 12, 34, 56, 789)
})
afterEach(async () => {
  await s3.stop()
  removeDataFolder(folder)
})

const bucket = () => ({
  ...S3_KEYS,
  bucket: BUCKET,
  prefix: 'node/one',
  endpoint: s3.url,
  region: S3_REGION,
  sessionToken: null,
})

/** Every store, and how many files it holds. */
const STORES: readonly [string, () => AssetFiles, () => number][] = [
  ['a folder', () => new FolderFiles(folder), () => filesIn(folder).length],
  ['a bucket', () => new S3Files(bucket()), () => s3.objects.size],
]

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(path, name)).isFile(),
  )
}

function assetsIn(files: AssetFiles, secret = 'secret-of-this-gateway'): SignedAssets {
  return new SignedAssets({
    files,
    key: deriveAssetKey(secret),
    lifetimeMs: 2 * HOUR_MS,
    clock: { nowMs: () => nowMs },
  })
}

function find(assets: SignedAssets, path: string): Promise<Asset | null> {
  const url = new URL(path, 'http://gateway.test')
  expect(url.pathname).toStartWith('/assets/')
  return assets.find(url.pathname.slice('/assets/'.length), url.searchParams)
}

describe.each(STORES)('assets in %s', (_name, openFiles, countFiles) => {
  test('are found by their URL', async () => {
    const assets = assetsIn(openFiles())
    const { path, expiresAtMs } = await assets.save(PNG_ALPHA, 'image/png')
    expect(path).toMatch(/^\/assets\/[\w-]{32}\.png\?expires=\d{10}&signature=[\w-]{43}$/)
    expect(expiresAtMs).toBe(Math.ceil((nowMs + 2 * HOUR_MS) / 1_000) * 1_000)
    const asset = await find(assets, path)
    expect(asset).toMatchObject({ mediaType: 'image/png', bytes: PNG_ALPHA.length, expiresAtMs })
    expect(await new Response(asset?.content).bytes()).toEqual(PNG_ALPHA)
  })

  test('have unique names, and endings by type', async () => {
    const assets = assetsIn(openFiles())
    const types = ['image/png', 'image/jpeg', 'image/webp', 'text/html']
    const saved = await Promise.all(types.map((type) => assets.save(PNG_ALPHA, type)))
    const found = await Promise.all(saved.map(({ path }) => find(assets, path)))
    expect(found.map((asset) => asset?.mediaType)).toEqual([
      'image/png',
      'image/jpeg',
      'image/webp',
      'application/octet-stream',
    ])
    expect(countFiles()).toBe(4)
  })

  test('are found until they expire', async () => {
    const assets = assetsIn(openFiles())
    const { path, expiresAtMs } = await assets.save(PNG_ALPHA, 'image/png')
    nowMs = expiresAtMs - 1
    expect(await find(assets, path)).not.toBeNull()
    nowMs = expiresAtMs
    expect(await find(assets, path)).toBeNull()
  })

  test('are not found under another URL', async () => {
    const assets = assetsIn(openFiles())
    const { path } = await assets.save(PNG_ALPHA, 'image/png')
    const { path: other } = await assets.save(PNG_ALPHA, 'image/png')
    const { path: foreign } = await assetsIn(openFiles(), 'secret-of-another-gateway').save(
      PNG_ALPHA,
      'image/png',
    )
    const expires = Number(/expires=(\d+)/.exec(path)?.[1])
    const altered = [
      path.replace(`expires=${expires}`, `expires=${expires + 1}`),
      path.replace(`expires=${expires}`, `expires=0${expires}`),
      path.replace(/signature=.*/, `signature=${/signature=(.*)/.exec(other)?.[1]}`),
      path.replace(/signature=(.)/, (_, first: string) => `signature=${first === 'A' ? 'B' : 'A'}`),
      path.replace(/&signature=.*/, ''),
      path.replace(/expires=\d+&/, ''),
      path.replace('.png', '.jpg'),
      path.replace('.png', ''),
      path.replace('/assets/', '/assets/x'),
      path.replace('?', '?expires=1&'),
      `${path}&size=large`,
      `${path}A`,
      foreign,
    ]
    for (const address of altered) expect(await find(assets, address)).toBeNull()
    expect(await find(assets, path)).not.toBeNull()
  })

  test('are not found once deleted', async () => {
    const assets = assetsIn(openFiles())
    const { path } = await assets.save(PNG_ALPHA, 'image/png')
    await assets.deleteExpired(nowMs + 5 * HOUR_MS, 10)
    expect(await find(assets, path)).toBeNull()
  })

  test('are deleted after they expire, a few at a time', async () => {
    const assets = assetsIn(openFiles())
    for (let saved = 0; saved < 5; saved++) await assets.save(PNG_ALPHA, 'image/png')
    const savedAtMs = nowMs
    nowMs += 2 * HOUR_MS
    const { path: late } = await assets.save(PNG_ALPHA, 'image/png')
    expect(await assets.deleteExpired(savedAtMs, 10)).toBe(0)
    nowMs += HOUR_MS
    expect(await assets.deleteExpired(nowMs, 2)).toBe(2)
    expect(await assets.deleteExpired(nowMs, 2)).toBe(2)
    expect(await assets.deleteExpired(nowMs, 2)).toBe(1)
    expect(await assets.deleteExpired(nowMs, 2)).toBe(0)
    expect(countFiles()).toBe(1)
    expect(await find(assets, late)).not.toBeNull()
  })
})

describe('the folder', () => {
  test('is private, holds no unfinished files, and loses empty subfolders', async () => {
    const assets = assetsIn(new FolderFiles(folder))
    await assets.save(PNG_ALPHA, 'image/png')
    const [file = ''] = filesIn(folder)
    expect(file).toMatch(/^\d{8}\/[\w-]{32}\.png$/)
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, file, '..')).mode & 0o777).toBe(0o700)
    await assets.deleteExpired(nowMs + 5 * HOUR_MS, 10)
    expect(readdirSync(folder)).toEqual([])
  })

  test('loses unfinished files of a crash, and keeps files that are not assets', async () => {
    const assets = assetsIn(new FolderFiles(folder))
    mkdirSync(join(folder, '00000001'))
    writeFileSync(join(folder, '00000001', 'x.png.draft'), 'x')
    mkdirSync(join(folder, 'notes'))
    writeFileSync(join(folder, 'notes', 'x'), 'x')
    expect(await assets.deleteExpired(nowMs, 10)).toBe(1)
    expect(filesIn(folder)).toEqual(['notes/x'])
  })
})

describe('the bucket', () => {
  test('gets keys under the prefix, with their media type', async () => {
    await assetsIn(new S3Files(bucket())).save(PNG_ALPHA, 'image/webp')
    const [[key, object] = ['', null]] = s3.objects
    expect(key).toMatch(/^node\/one\/assets\/\d{8}\/[\w-]{32}\.webp$/)
    expect(object).toEqual({ content: PNG_ALPHA, type: 'image/webp' })
  })

  test('with wrong credentials fails instead of finding nothing', async () => {
    const { path } = await assetsIn(new S3Files(bucket())).save(PNG_ALPHA, 'image/png')
    const assets = assetsIn(new S3Files({ ...bucket(), secretAccessKey: 'wrong' }))
    await expect(find(assets, path)).rejects.toThrow()
    await expect(assets.save(PNG_ALPHA, 'image/png')).rejects.toThrow()
  })
})
