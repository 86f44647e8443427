import type { AbortCall, SupplierCall } from '../../../serve/ports/supplier-call.ts'
import { SupplierClient, type SupplierClientOptions } from '../supplier-client.ts'
import { noRest } from './rests.ts'
import { startScriptedSupplier } from './scripted-supplier.ts'

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

const opened: { stop(): unknown }[] = []

/** Leaves it to `stopOpened`, which a test file calls after each test. */
export function stopLater<Server extends { stop(): unknown }>(server: Server): Server {
  opened.push(server)
  return server
}

export async function stopOpened(): Promise<void> {
  for (const server of opened.splice(0)) await server.stop()
}

export function supplierThat(...[script]: Parameters<typeof startScriptedSupplier>) {
  return stopLater(startScriptedSupplier(script))
}

/** A client whose connections need no rest and whose clock a test can put forward. */
export function clientWith(options: Partial<SupplierClientOptions> = {}, clock = { nowMs: () => 0 }) {
  return new SupplierClient(clock, { isProxied: false, rest: noRest(), ...options })
}

export function newPatience() {
  const controller = new AbortController()
  const { signal } = controller
  /** For each call, whether the supplier had the whole request when it was aborted. */
  const wasSent: boolean[] = []
  return {
    signal,
    wasSent,
    onAbort: (abort: AbortCall) => signal.addEventListener('abort', () => wasSent.push(abort())),
    abort: () => controller.abort(),
  }
}

export function callTo(url: string, fields: Partial<SupplierCall> = {}): SupplierCall {
  return {
    url,
    headers: {},
    body: '{}',
    connectMs: 2_000,
    patience: newPatience(),
    credentialId: 'cred_1',
    ...fields,
  }
}
