import { join } from 'node:path'
import { FileJournal } from './edges/journal/file-journal.ts'
import { type DataFolder, openDataFolder } from './edges/settings/data-folder.ts'
import type { Settings } from './edges/settings/settings.ts'
import { isRefusal, openStorage } from './edges/storage/index.ts'
import { Metrics } from './edges/telemetry/metrics.ts'
import { findOperatorAccess, findServerSecret } from './first-start.ts'
import { LiveEvents } from './gateway/console/live-events.ts'
import { openPictureStores } from './picture-stores.ts'
import {
  createSealer,
  createSecretKeeper,
  deriveAssetKey,
  firstFingerprintKey,
} from './rules/access/server-secret.ts'
import type { Surroundings } from './surroundings.ts'

export type Vault = Awaited<ReturnType<typeof openVault>>

/** Everything that lasts: folder, database and journal, with what an earlier process left behind put in order. */
export async function openVault(settings: Settings, { clock, log }: Surroundings) {
  const folder = openDataFolder(settings.dataFolder)
  const { storage, secrets, assetKey } = await openKeptSecrets(settings, folder)
  const pictures = openPictureStores(settings, { dataFolder: folder.path, assetKey, clock })
  const access = findOperatorAccess(settings.operatorToken, folder, secrets)
  const metrics = new Metrics()
  const events = new LiveEvents()
  const journalFolder = join(folder.path, 'journal')
  const journal = await FileJournal.start({
    folder: journalFolder,
    persist: async (settlements) => {
      await storage.writeSettlements(settlements)
      metrics.noteSettlements(settlements)
      events.noteSettlements(settlements)
    },
    isRefusal,
    fsync: settings.journalFsync,
    onTrouble: (error, waiting) => log.trouble(`${waiting} settlements wait for the database`, error),
  })
  const close = async () => {
    await journal.close()
    await storage.close()
    folder.release()
  }
  return { secrets, access, storage, journal, journalFolder, metrics, events, pictures, close }
}

/** The database under the server secret, and the key for fingerprints that it keeps whatever that secret becomes. */
async function openKeptSecrets({ serverSecret, databaseUrl }: Settings, folder: DataFolder) {
  const secret = findServerSecret(serverSecret, folder)
  const sealer = createSealer(secret)
  const storage = await openStorage({ databaseUrl, dataFolder: folder.path, secrets: sealer })
  try {
    const fingerprintKey = await storage.keepFingerprintKey(firstFingerprintKey(secret))
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
