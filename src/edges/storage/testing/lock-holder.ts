import { openAt } from './engines.ts'

/**
 * A process of its own, for tests of what processes keep from one another. Takes the lock of the given kind, says so,
 * and holds it until a line comes in or it is killed.
 */
const [kind = '', databaseUrl = '', dataFolder = ''] = process.argv.slice(2)

const storage = await openAt({ databaseUrl: databaseUrl === '' ? null : databaseUrl, dataFolder })
const hold = async () => {
  console.log('held')
  for await (const _ of console) break
}
if (kind === 'changing') await storage.whileChanging(hold)
else if (kind === 'start') await storage.exclusively(hold)
else await storage.unlessRunning(kind, hold)
await storage.close()
process.exit(0)
