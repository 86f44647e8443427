import type { Database, Parameter } from '../engines/database.ts'
import { MIGRATIONS, migrate } from '../migrations.ts'
import { testedEngines } from './engines.ts'

/** How SQLite would run the queries that `act` makes, one line for each step. */
export async function plansOf(act: (database: Database) => Promise<unknown>): Promise<string[]> {
  const engine = testedEngines().find(({ name }) => name === 'SQLite')
  const site = await engine?.makeEmptySite()
  if (site === undefined) throw new Error('SQLite is not tested.')
  const database = await site.openDatabase()
  await migrate(database, MIGRATIONS)
  const plans: string[] = []
  const rows = async <Row>(sql: string, parameters: readonly Parameter[]) => {
    const steps = await database.rows<{ detail: string }>(`explain query plan ${sql}`, parameters)
    plans.push(...steps.map(({ detail }) => detail))
    return database.rows<Row>(sql, parameters)
  }
  const explained: Pick<Database, 'rows' | 'analyze'> = { rows, analyze: rows }
  await act(explained as Database)
  await database.close()
  await site.remove()
  return plans
}
