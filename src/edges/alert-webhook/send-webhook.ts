import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { SendWebhook, WebhookCall } from '../../manage/ports/alerts.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import { resolveHost } from '../../wire/resolve-host.ts'

export interface SendRules {
  /** For the whole call, looking up the name included. */
  readonly timeoutMs: number
  /** Which addresses may be connected to. */
  readonly isAllowed: (address: string) => boolean
  /** All addresses a name has. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 10_000

/** A reason that may be shown: nothing of what a library or a receiver said is in it. */
class Refusal extends Error {}

export function webhookRules({ allowsPrivate }: { readonly allowsPrivate: boolean }): SendRules {
  return {
    timeoutMs: TIMEOUT_MS,
    isAllowed: allowsPrivate ? () => true : isPublicAddress,
    lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
  }
}

/**
 * Calls webhooks. A name is resolved once, every address it has must be allowed, and the connection goes to the very
 * address that was checked; redirects are not followed. Otherwise an account could have the gateway call whatever the
 * gateway can reach.
 */
export function createWebhookSender(rules: SendRules): SendWebhook {
  return async (call) => {
    const timeout = AbortSignal.timeout(rules.timeoutMs)
    try {
      const response = await post(call, rules, AbortSignal.any([call.signal, timeout]))
      // The answer's status is all that is asked for, however long its body is.
      await response.body?.cancel()
      return complaintAbout(response)
    } catch (error) {
      if (error instanceof Refusal) return error.message
      if (timeout.aborted) return `There was no answer within ${rules.timeoutMs / 1_000} seconds.`
      return 'The receiver could not be reached.'
    }
  }
}

function complaintAbout({ status, ok }: Response): string | null {
  if (ok) return null
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`
  return `The receiver answered ${status}.`
}

async function post(call: WebhookCall, rules: SendRules, signal: AbortSignal): Promise<Response> {
  const url = new URL(call.url)
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const address = await resolve(hostname, rules, signal)
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  return fetch(pinned, {
    method: 'POST',
    headers: {
      host: url.host,
      'content-type': 'application/json',
      'user-agent': 'turnpike',
      'turnpike-signature': call.signature,
    },
    body: call.body,
    redirect: 'manual',
    signal,
    // A connection made for another name at this address must not be used for this one.
    keepalive: false,
    decompress: false,
    tls: isIP(hostname) === 0 ? { serverName: hostname } : {},
  })
}

async function resolve(hostname: string, rules: SendRules, signal: AbortSignal): Promise<string> {
  const address = await resolveHost(hostname, rules, signal)
  if (address === null) throw new Refusal('The address of the receiver is not public.')
  return address
}
