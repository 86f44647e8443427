import type { CallSupplier } from '../../serve/ports/supplier-call.ts'

const HOST = 'sandbox.turnpike.invalid'

/**
 * Where the built-in simulator is, as far as anything stored knows: the same for every node and every start. Each node
 * finds its own there; no name that ends like this belongs to anybody.
 */
export const SANDBOX_ORIGIN = `http://${HOST}`

/** Sends what is meant for the built-in simulator to the one of this node. */
export function reachingSandbox(call: CallSupplier, sandboxUrl: string | null): CallSupplier {
  return (wanted) => {
    if (!isAtSandbox(wanted.url)) return call(wanted)
    if (sandboxUrl === null) return Promise.reject(noSandbox())
    // By its host the simulator knows what to call itself when it gives an address for a picture.
    const headers = { ...wanted.headers, host: HOST }
    return call({ ...wanted, url: moved(wanted.url, sandboxUrl), headers })
  }
}

export function atSandbox(request: Request, sandboxUrl: string | null): Request {
  if (!isAtSandbox(request.url)) return request
  if (sandboxUrl === null) throw noSandbox()
  return new Request(moved(request.url, sandboxUrl), request)
}

function isAtSandbox(url: string): boolean {
  return url.startsWith(`${SANDBOX_ORIGIN}/`)
}

function moved(url: string, sandboxUrl: string): string {
  return sandboxUrl + url.slice(SANDBOX_ORIGIN.length)
}

function noSandbox(): Error {
  return new Error('This node runs no sandbox.')
}
