import { join } from 'node:path'
import { FolderFiles } from '../edges/assets/folder-files.ts'
import { S3Files } from '../edges/assets/s3-files.ts'
import { SignedAssets } from '../edges/assets/signed-assets.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { createFormReader } from '../edges/uploads/read-form.ts'
import { UploadFolder } from '../edges/uploads/upload-folder.ts'
import type { AssetStore } from '../serve/ports/assets.ts'
import type { Log } from '../serve/ports/log.ts'
import type { ReadForm } from '../serve/ports/uploads.ts'
import type { Clock } from '../vocabulary/clock.ts'

const HOUR_MS = 60 * 60 * 1_000
// Temporary storage holds this many uploads of the largest size.
const UPLOADS_AT_ONCE = 16
// Few at a time, so that a sweep does not block the disk.
const SWEEP_PORTION = 100

/** Stores for uploaded and generated images. */
export interface ImageStores {
  readonly assets: AssetStore
  readonly readForm: ReadForm
}

export interface ImageStoreParts {
  readonly dataFolder: string
  readonly assetKey: Uint8Array
  readonly clock: Clock
}

export function openImageStores(settings: Settings, ground: ImageStoreParts): ImageStores {
  const { dataFolder, assetKey: key, clock } = ground
  const { assetBucket, assetHours, maxUploadBytes, bodyTimeoutSeconds } = settings
  const files = assetBucket === null ? new FolderFiles(join(dataFolder, 'assets')) : new S3Files(assetBucket)
  const folder = UploadFolder.open(join(dataFolder, 'uploads'), UPLOADS_AT_ONCE * maxUploadBytes)
  return {
    assets: new SignedAssets({ files, key, lifetimeMs: assetHours * HOUR_MS, clock }),
    readForm: createFormReader({ folder, maxBytes: maxUploadBytes, timeoutMs: bodyTimeoutSeconds * 1_000 }),
  }
}

export interface Sweep {
  /** Waits for a running sweep and starts no other. */
  stop(): Promise<void>
}

/** Deletes expired assets, now and every hour. Every node does, because each may have its own folder. */
export function sweepAssetsHourly(assets: AssetStore, system: SweepSurroundings): Sweep {
  let running = sweepAssets(assets, system)
  const timer = setInterval(() => {
    running = running.then(() => sweepAssets(assets, system))
  }, HOUR_MS)
  return {
    stop: () => {
      clearInterval(timer)
      return running
    },
  }
}

interface SweepSurroundings {
  readonly clock: Clock
  readonly log: Log
}

async function sweepAssets(assets: AssetStore, { clock, log }: SweepSurroundings): Promise<void> {
  try {
    while ((await assets.deleteExpired(clock.nowMs(), SWEEP_PORTION)) === SWEEP_PORTION);
  } catch (error) {
    log.trouble('old assets could not be deleted', error)
  }
}
