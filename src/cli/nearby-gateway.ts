import { findServerSecret } from '../app/supply/first-start.ts'
import { type DataFolder, enterDataFolder, openDataFolder } from '../edges/settings/data-folder.ts'
import { OTHER_NAMES } from '../edges/settings/known-names.ts'
import { type Environment, readSettings, SettingError } from '../edges/settings/read-settings.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { explainStartFailure } from '../edges/settings/start-failure.ts'
import { UsageError } from './command.ts'
import { gatewayAddressOf } from './gateway-address.ts'
import { hasDatabase } from './offline-database.ts'
import { connectFromEnvironment, createOperatorClient, type OperatorClient } from './operator-client.ts'

/** The operator API for one command: that of a running gateway, or one on the database of this environment. */
interface Nearby {
  readonly client: OperatorClient
  close(): Promise<void>
}

const PATIENCE_MS = 3_000

/**
 * With a token, a gateway that answers is asked. Otherwise the database of this environment is used, whether a gateway
 * runs on it or not: one that does follows within about a second.
 */
export async function connectNearby(environment: Environment): Promise<Nearby> {
  const hasToken = Boolean(environment.TURNPIKE_OPERATOR_TOKEN)
  const isNamed = Boolean(environment[OTHER_NAMES.url])
  if (hasToken && (isNamed || (await answers(gatewayAddressOf(environment))))) return remote(environment)
  const settings = readSettings(environment)
  if (!hasDatabase(settings)) {
    if (hasToken) return remote(environment)
    throw new UsageError(
      `TURNPIKE_OPERATOR_TOKEN is not set, and there is no database in ${JSON.stringify(settings.dataFolder)}. Set it to the operator token of a running gateway, or set TURNPIKE_DATA or DATABASE_URL.`,
    )
  }
  return openHere(settings)
}

function remote(environment: Environment): Nearby {
  return { client: connectFromEnvironment(environment), close: () => Promise.resolve() }
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS), proxy: false })
    return true
  } catch {
    return false
  }
}

async function openHere(settings: Settings): Promise<Nearby> {
  const { openOfflineDatabase, startOfflineApi } = await import('../app/offline/open-offline.ts')
  const { folder } = openFolder(settings)
  try {
    const database = await openOfflineDatabase(settings, secretOf(settings, folder))
    const api = await startOfflineApi(settings, database)
    return {
      client: createOperatorClient(api),
      close: async () => {
        await api.close()
        await database.close()
        folder?.release()
      },
    }
  } catch (error) {
    folder?.release()
    throw explained(error, settings)
  }
}

/** A database error may contain the address, and with it a password. */
export function explained(error: unknown, settings: Settings): unknown {
  const message = explainStartFailure(error, settings)
  return message === null ? error : new Error(message, { cause: error })
}

interface OpenedFolder {
  /** null when the database is elsewhere and everything else comes from the environment. */
  readonly folder: DataFolder | null
  /** Whether a gateway uses the folder. */
  readonly isInUse: boolean
}

/** The data folder of an embedded database, locked unless a gateway has locked it. */
export function openFolder({ databaseUrl, dataFolder }: Settings): OpenedFolder {
  if (databaseUrl !== null) return { folder: null, isInUse: false }
  try {
    return { folder: openDataFolder(dataFolder), isInUse: false }
  } catch (error) {
    if (!(error instanceof SettingError) || !/no other running gateway/.test(error.message)) throw error
    return { folder: enterDataFolder(dataFolder), isInUse: true }
  }
}

/** Never makes a secret: a database that has none was never used. */
export function secretOf({ serverSecret, dataFolder }: Settings, folder: DataFolder | null): string {
  if (serverSecret !== null) return serverSecret
  const refuse = () => {
    throw new UsageError(`there is no server secret in ${JSON.stringify(dataFolder)}; set TURNPIKE_SECRET`)
  }
  return folder === null ? refuse() : findServerSecret(null, { ...folder, write: refuse })
}
