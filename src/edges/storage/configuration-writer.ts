import type { Kysely } from 'kysely'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ChangeProgress } from '../../serve/ports/shared-storage.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import { type Database, type Lock, LockedOut } from './engines/database.ts'
import { prepare, queryOn } from './query.ts'
import { isChange, writeAuditEvent } from './tables/supply/audit-events.ts'
import type { Tables } from './tables.ts'

// An operator waits for an answer; what takes longer than this is told to be tried again.
const CHANGE_LOCK: Lock = { name: 'changing', patienceMs: 30_000 }

// Prepared, since every change runs one of them.
const raise = (query: Kysely<Tables>) =>
  query
    .updateTable('configuration_version')
    .set((now) => ({ version: now('version', '+', 1n) }))
    .returning('version')
const RAISE = prepare(raise)
const RAISE_FROM = prepare((query, given: { version: bigint }) =>
  raise(query).where('version', '=', given.version),
)

/**
 * Writes changes of the configuration. Each raises the version in the same transaction. While this node holds the lock, a
 * change is written only if no other node has written one: a node that was cut off may still believe that it holds the
 * lock.
 */
export class ConfigurationWriter {
  readonly #database: Database
  #progress: { version: number } | null = null

  constructor(database: Database) {
    this.#database = database
  }

  async raiseVersionTo(least: number): Promise<void> {
    await queryOn(this.#database)
      .updateTable('configuration_version')
      .set({ version: BigInt(least) })
      .where('version', '<', BigInt(least))
      .execute()
  }

  /** A change and the event that tells of it, both or neither. */
  write(event: AuditEvent, work: (tx: Database) => Promise<unknown>): Promise<void> {
    return this.writeIf(event, async (tx) => {
      await work(tx)
    })
  }

  /** The same for work that only finds out in the transaction whether there is anything to change. */
  async writeIf<Result>(event: AuditEvent | null, work: (tx: Database) => Promise<Result>): Promise<Result> {
    const { result, version } = await this.#database.transaction(async (tx) => {
      const result = await work(tx)
      if (!isChange(result)) return { result, version: null }
      if (event !== null) await writeAuditEvent(tx, event)
      return { result, version: await this.#raise(tx) }
    })
    if (version !== null && this.#progress !== null) this.#progress.version = version
    return result
  }

  async whileChanging<Result>(work: (progress: ChangeProgress) => Promise<Result>): Promise<Result> {
    const change = async () => {
      const progress = { version: await loadConfigurationVersion(this.#database) }
      this.#progress = progress
      return work(progress).finally(() => {
        this.#progress = null
      })
    }
    try {
      return await this.#database.exclusively(CHANGE_LOCK, change)
    } catch (error) {
      if (!(error instanceof LockedOut)) throw error
      throw unavailable('Another node is changing the configuration and takes long. Try again.')
    }
  }

  /** As the last step of a transaction: from here to its end all other changes wait. */
  async #raise(tx: Database): Promise<number> {
    const row =
      this.#progress === null
        ? await RAISE.first(tx, {})
        : await RAISE_FROM.first(tx, { version: BigInt(this.#progress.version) })
    if (row === undefined) {
      throw unavailable(
        'Another node has changed the configuration meanwhile; nothing was changed. Try again.',
      )
    }
    return Number(row.version)
  }
}

export async function loadConfigurationVersion(database: Database): Promise<number> {
  const row = await queryOn(database).selectFrom('configuration_version').select('version').executeTakeFirst()
  return Number(row?.version ?? 0)
}

function unavailable(message: string): GatewayError {
  return new GatewayError('temporarily_unavailable', message)
}
