import { isIP } from 'node:net'

export interface HostRules {
  lookup(hostname: string): Promise<readonly string[]>
  isAllowed(address: string): boolean
}

/** One address of a name, all of which are allowed; null when one of them is not, or there is none. */
export async function resolveHost(
  hostname: string,
  rules: HostRules,
  signal: AbortSignal,
): Promise<string | null> {
  const addresses = isIP(hostname) === 0 ? await untilAborted(rules.lookup(hostname), signal) : [hostname]
  const [first] = addresses
  return first !== undefined && addresses.every((address) => rules.isAllowed(address)) ? first : null
}

/** Looking up a name cannot be stopped, but it can be waited for no longer. */
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
