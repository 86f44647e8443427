import type { Configuration } from '../../gateway/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import { loadConfigurationVersion } from './change-book.ts'
import type { Database } from './database.ts'
import { loadAccounts } from './tables/accounts.ts'
import { loadCredentials } from './tables/credentials.ts'
import { loadKeys } from './tables/keys.ts'
import { loadModels, loadRoutes, loadSuppliers } from './tables/supply.ts'

/** As of one moment: another node may write between two reads, and then the version would not be that of the rows. */
export function loadConfiguration(database: Database, secrets: Sealer): Promise<Configuration> {
  return database.snapshot(async (moment) => ({
    version: await loadConfigurationVersion(moment),
    accounts: await loadAccounts(moment),
    keys: await loadKeys(moment),
    suppliers: await loadSuppliers(moment),
    credentials: await loadCredentials(moment, secrets),
    models: await loadModels(moment),
    routes: await loadRoutes(moment),
  }))
}
