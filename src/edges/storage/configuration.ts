import type { Configuration } from '../../gateway/ports/storage.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import type { Database } from './database.ts'
import { loadAccounts } from './tables/accounts.ts'
import { loadCredentials } from './tables/credentials.ts'
import { loadKeys } from './tables/keys.ts'
import { loadModels, loadRoutes, loadSuppliers } from './tables/supply.ts'

/**
 * Reads what refers to others before what is referred to. Another node may write between two reads, and in this
 * order every row read finds the row it refers to.
 */
export function loadConfiguration(database: Database, secrets: Sealer): Promise<Configuration> {
  return database.transaction(async (tx) => {
    const routes = await loadRoutes(tx)
    const credentials = await loadCredentials(tx, secrets)
    const keys = await loadKeys(tx)
    const models = await loadModels(tx)
    const suppliers = await loadSuppliers(tx)
    const accounts = await loadAccounts(tx)
    return { accounts, keys, suppliers, credentials, models, routes }
  })
}
