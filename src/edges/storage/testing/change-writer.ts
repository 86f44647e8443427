import { openAt } from './engines.ts'
import { ACCOUNT, auditEvent, settlement } from './samples.ts'

/** A process of its own that writes changes and settlements as fast as it can, each under a name of its own. */
const [name = '', count = '0', databaseUrl = '', dataFolder = ''] = process.argv.slice(2)

const storage = await openAt({ databaseUrl: databaseUrl === '' ? null : databaseUrl, dataFolder })
console.log('ready')
for await (const _ of console) break
for (let index = 0; index < Number(count); index += 1) {
  const id = `${name}_${index}`
  await storage.whileChanging(() => storage.saveAccount({ ...ACCOUNT, id }, auditEvent(`evt_${id}`)))
  await storage.writeSettlements([settlement({ requestId: `req_${id}` })])
}
await storage.close()
process.exit(0)
