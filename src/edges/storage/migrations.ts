import type { Database } from './engines/database.ts'
import { initialSchema } from './migrations/0001-initial-schema.ts'
import { keptReplies } from './migrations/0002-kept-replies.ts'
import { supplierOptions } from './migrations/0003-supplier-options.ts'
import { serverKeys } from './migrations/0004-server-keys.ts'
import { narrowTimeIndex } from './migrations/0005-narrow-time-index.ts'
import { refundsAndTiers } from './migrations/0006-refunds-and-tiers.ts'
import { settlementsAreEntries } from './migrations/0007-settlements-are-entries.ts'
import { alerts } from './migrations/0008-alerts.ts'
import { usageAndRetention } from './migrations/0009-usage-and-retention.ts'
import { users } from './migrations/0010-users.ts'
import { consoleTables } from './migrations/0011-console.ts'
import { consoleIndexes } from './migrations/0012-console-indexes.ts'
import { nodes } from './migrations/0013-nodes.ts'
import { adjustmentReferences } from './migrations/0014-adjustment-references.ts'
import { replyChains } from './migrations/0015-reply-chains.ts'
import { boundSeals } from './migrations/0016-bound-seals.ts'
import { sharedLimitsId } from './migrations/0017-shared-limits-id.ts'
import { paymentMethods } from './migrations/0018-payment-methods.ts'
import { rateCards } from './migrations/0019-rate-cards.ts'
import { markUps } from './migrations/0020-mark-ups.ts'
import { usageMargin } from './migrations/0021-usage-margin.ts'
import { sessions } from './migrations/0022-sessions.ts'
import { backgroundReplies } from './migrations/0023-background-replies.ts'
import { conversations } from './migrations/0024-conversations.ts'
import { refusals } from './migrations/0025-refusals.ts'
import { sinks } from './migrations/0026-sinks.ts'
import { alertChannels } from './migrations/0027-alert-channels.ts'
import { modelNames } from './migrations/0028-model-names.ts'
import { tiers } from './migrations/0029-tiers.ts'
import { roles } from './migrations/0030-roles.ts'
import { people } from './migrations/0031-people.ts'
import { accountStates } from './migrations/0032-account-states.ts'
import { explore } from './migrations/0033-explore.ts'
import { clientSessions } from './migrations/0034-client-sessions.ts'
import { accountUsage } from './migrations/0035-account-usage.ts'
import type { Migration } from './migrations/migration.ts'
import { queryOn } from './query.ts'

/** In order of version. */
export const MIGRATIONS: readonly Migration[] = [
  initialSchema,
  keptReplies,
  supplierOptions,
  serverKeys,
  narrowTimeIndex,
  refundsAndTiers,
  settlementsAreEntries,
  alerts,
  usageAndRetention,
  users,
  consoleTables,
  consoleIndexes,
  nodes,
  adjustmentReferences,
  replyChains,
  boundSeals,
  sharedLimitsId,
  paymentMethods,
  rateCards,
  markUps,
  usageMargin,
  sessions,
  backgroundReplies,
  conversations,
  refusals,
  sinks,
  alertChannels,
  modelNames,
  tiers,
  roles,
  people,
  accountStates,
  explore,
  clientSessions,
  accountUsage,
]

/** Brings the schema up to date. Of several nodes that start together, one does it and the others wait. */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.lockSchema()
    await tx.rows(
      'create table if not exists schema_migrations (version integer primary key, name text not null)',
      [],
    )
    const current = await readVersion(tx)
    const newest = Math.max(0, ...migrations.map(({ version }) => version))
    if (current > newest) {
      throw new Error(
        `The database has schema version ${current}, but this program knows versions up to ${newest} only. ` +
          'Start the newer program that made it, or restore a backup from before the upgrade.',
      )
    }
    for (const migration of migrations) {
      if (migration.version > current) await apply(tx, migration)
    }
  })
}

async function readVersion(tx: Database): Promise<number> {
  const { version } = await queryOn(tx)
    .selectFrom('schema_migrations')
    .select((row) => row.fn.max<bigint | null>('version').as('version'))
    .executeTakeFirstOrThrow()
  return Number(version ?? 0)
}

async function apply(tx: Database, migration: Migration): Promise<void> {
  const { version, name, statements, onServer = [] } = migration
  for (const statement of statements) await tx.rows(statement, [])
  if (!tx.hasOneWriter) for (const statement of onServer) await tx.rows(statement, [])
  await queryOn(tx)
    .insertInto('schema_migrations')
    .values({ version: BigInt(version), name })
    .execute()
}
