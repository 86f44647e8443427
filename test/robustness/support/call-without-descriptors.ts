import { closeSync, openSync } from 'node:fs'
import { SupplierClient } from '../../../src/edges/supplier-client/supplier-client.ts'
import { failureOf } from '../../../src/serve/delivery/supplier-failures.ts'
import { SYSTEM_CLOCK } from '../../../src/vocabulary/clock.ts'

// Calls a supplier from a process that has no file descriptor left, and one that is not there; prints what is made of both.
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') })
const client = new SupplierClient(SYSTEM_CLOCK, { isProxied: false })
const taken: number[] = []

async function kindOfCall(port: number | undefined): Promise<string> {
  const patience = { onAbort: () => undefined, signal: new AbortController().signal }
  const url = `http://127.0.0.1:${port}/`
  try {
    return String(
      (
        await client.call({
          url,
          headers: {},
          credentialId: 'credential',
          body: '',
          connectMs: 5_000,
          patience,
        })
      ).status,
    )
  } catch (error) {
    const { kind, message } = failureOf(error, false)
    return `${kind}: ${message}`
  }
}

try {
  for (;;) taken.push(openSync('/dev/null', 'r'))
} catch {
  // None is left, which is what was wanted.
}
const without = await kindOfCall(server.port)
for (const descriptor of taken) closeSync(descriptor)
const absent = await kindOfCall(1)
process.stdout.write(JSON.stringify([without, absent]))
process.exit(0)
