import { FileJournal } from '../edges/journal/file-journal.ts'
import { journalFolderOf } from '../edges/journal/journal-folders.ts'
import type { DamagedLine } from '../edges/journal/recover.ts'
import { type DataFolder, enterDataFolder, openDataFolder } from '../edges/settings/data-folder.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { isRefusal, openStorage, SealingTransition } from '../edges/storage/index.ts'
import { Metrics } from '../edges/telemetry/metrics/metrics.ts'
import { LiveEvents } from '../manage/console/live-events.ts'
import {
  createSealer,
  createSecretKeeper,
  deriveAssetKey,
  firstFingerprintKey,
} from '../rules/access/server-secret.ts'
import type { Log } from '../serve/ports/log.ts'
import { openImageStores } from './image-stores.ts'
import { atOnce } from './jobs.ts'
import { openMembership } from './membership.ts'
import { SettlementFeed } from './settlement-feed.ts'
import { findOperatorAccess, findServerSecret } from './supply/first-start.ts'
import type { SystemServices } from './system-services.ts'
import type { Role } from './workers/role.ts'

export type Persistence = Awaited<ReturnType<typeof openPersistence>>

/** Opens the data folder, database and journal, and recovers what an earlier process left behind. */
export async function openPersistence(settings: Settings, system: SystemServices, role: Role | null) {
  const { clock, log } = system
  const { dataFolder } = settings
  const folder = role === null ? openDataFolder(dataFolder) : enterDataFolder(dataFolder)
  const isAlone = settings.databaseUrl === null && role === null
  const { storage, secrets, assetKey } = await openKeptSecrets(settings, { folder, isAlone, log })
  const images = openImageStores(settings, { dataFolder: folder.path, assetKey, clock })
  const access = findOperatorAccess(settings.operatorToken, folder, secrets)
  const metrics = new Metrics({ maxAccounts: settings.metricsAccounts })
  const membership = await openMembership(settings, system, { storage, role })
  const events = new LiveEvents({
    storage,
    hasOthers: () => membership.hasCompany && membership.registry.hasOthers,
  })
  const journalFolder = journalFolderOf(folder.path, role?.slot ?? null)
  const stored = new SettlementFeed()
  const journal = await FileJournal.start({
    folder: journalFolder,
    dataFolder: folder.path,
    persist: async (settlements) => {
      // After a crash, the journal also has settlements that were stored, and counted, before it.
      let fresh = settlements
      const balances = await storage.writeSettlements(settlements, (those) => {
        fresh = those
      })
      stored.note(settlements, balances)
      metrics.noteSettlements(fresh)
      events.noteSettlements(settlements)
    },
    isRefusal,
    // Its hold is released. It is not charged until an operator has looked into it.
    onSetAside: (settlement) => stored.note([settlement], []),
    fsync: settings.journalFsync,
    bounds: {
      maxBytes: settings.journalMaxBytes,
      maxAgeMs: settings.journalMaxAgeSeconds * 1_000,
      clock,
    },
    onTrouble: (error, waiting) => log.trouble(`${waiting} settlements wait for the database`, error),
    onDamaged: (line) => {
      metrics.noteDamagedLine(line.kind)
      log.trouble('a line of the journal cannot be read', describeDamage(line))
    },
  })
  /** Call it after the journal is closed, which still writes to the database. */
  const close = async () => {
    await storage.close()
    folder.release()
  }
  const kept = { secrets, access, storage, journal, journalFolder, stored, images }
  return { ...kept, membership, metrics, events, close }
}

function describeDamage({ path, offset, bytes, kind, keptIn }: DamagedLine): string {
  const what = kind === 'cut_off' ? 'cut off by a crash' : 'altered on the disk'
  const where = keptIn === null ? 'its file stays where it is' : `it is kept in ${keptIn}`
  return `${bytes} bytes at ${offset} of ${path}, ${what}; ${where}`
}

/** Opens the database with the server secret, and loads the fingerprint key, which outlives that secret. */
async function openKeptSecrets(
  { serverSecret, databaseUrl, journalFsync, storedBytesPerAccount }: Settings,
  { folder, isAlone, log }: { readonly folder: DataFolder; readonly isAlone: boolean; readonly log: Log },
) {
  const secret = findServerSecret(serverSecret, folder)
  const sealing = new SealingTransition(isAlone)
  const secrets = createSealer(secret, sealing)
  const storage = await openStorage({
    databaseUrl,
    dataFolder: folder.path,
    survivesPowerCut: journalFsync === 'always',
    secrets,
    sealing,
    maxReplyBytesPerAccount: storedBytesPerAccount,
  })
  try {
    // First, because it fails when the secret is wrong.
    const fingerprintKey = await storage.keepFingerprintKey(firstFingerprintKey(secret))
    await storage.bindFewSeals(atOnce(log))
    return {
      storage,
      secrets: createSecretKeeper(secret, fingerprintKey),
      assetKey: deriveAssetKey(secret),
    }
  } catch (error) {
    await storage.close()
    folder.release()
    throw error
  }
}
