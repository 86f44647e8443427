import { createSealer } from '../../../rules/access/server-secret.ts'
import { openStorage, SealingTransition } from '../index.ts'

/** A process of its own that binds sealed values to their rows, and says so and stands still after some of them. */
const [secret = '', count = '0', databaseUrl = '', dataFolder = ''] = process.argv.slice(2)

const sealing = new SealingTransition(true)
const place = { databaseUrl: databaseUrl === '' ? null : databaseUrl, dataFolder }
const storage = await openStorage({ ...place, secrets: createSealer(secret, sealing), sealing })
let bound = 0
await storage.bindAllSeals({
  pause: async () => {
    bound += 1
    if (bound < Number(count)) return
    console.log('ready')
    for await (const _ of console) break
  },
  isStopping: () => false,
  onUnopened: () => undefined,
})
await storage.close()
process.exit(0)
