/** Calls the address it is given with a long and a short body and prints both answers, or why there are none. */
import { SupplierClient } from '../supplier-client.ts'
import { noRest } from './rests.ts'

const [url = ''] = process.argv.slice(2)
const client = new SupplierClient({ nowMs: Date.now }, { isProxied: false, rest: noRest() })
const patience = { onAbort: () => {}, signal: new AbortController().signal }

async function callOnce(length: number): Promise<string> {
  const call = {
    url,
    headers: {},
    body: 'x'.repeat(length),
    connectMs: 2_000,
    patience,
    credentialId: 'cred_1',
  }
  return (await client.call(call)).text()
}

try {
  console.log(`${await callOnce(300_000)}, ${await callOnce(300)}`)
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error))
}
process.exit(0)
