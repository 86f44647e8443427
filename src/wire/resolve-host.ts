import { isIP } from 'node:net'

export interface HostRules {
  lookup(hostname: string): Promise<readonly string[]>
  isAllowed(address: string): boolean
}

/** The first address of a host; null when it has none, or when any of its addresses is not allowed. */
export async function resolveHost(
  hostname: string,
  rules: HostRules,
  signal: AbortSignal,
): Promise<string | null> {
  const addresses = isIP(hostname) === 0 ? await untilAborted(rules.lookup(hostname), signal) : [hostname]
  const [first] = addresses
  return first !== undefined && addresses.every((address) => rules.isAllowed(address)) ? first : null
}

/** A lookup cannot be cancelled, but we can stop waiting for it. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const { promise: isOver, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, isOver])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
