import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { SendWebhook, WebhookCall } from '../../manage/ports/alerts.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import { resolveHost } from '../../wire/resolve-host.ts'

export interface SendRules {
  /** For the whole call, including the DNS lookup. */
  readonly timeoutMs: number
  /** Which addresses may be connected to. */
  readonly isAllowed: (address: string) => boolean
  /** Resolves a host name to all its addresses. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 10_000

/** A reason that is safe to show: it quotes neither a library nor the receiver. */
class ReceiverRefused extends Error {}

export function webhookRules({ allowsPrivate }: { readonly allowsPrivate: boolean }): SendRules {
  return {
    timeoutMs: TIMEOUT_MS,
    isAllowed: allowsPrivate ? () => true : isPublicAddress,
    lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
  }
}

/**
 * Calls webhooks. The host is resolved once, all its addresses must be allowed, and the connection goes to the address
 * that was checked. Redirects are not followed. So an account cannot make the gateway call private addresses.
 */
export function createWebhookSender(rules: SendRules): SendWebhook {
  return async (call) => {
    const timeout = AbortSignal.timeout(rules.timeoutMs)
    try {
      const response = await post(call, rules, AbortSignal.any([call.signal, timeout]))
      // Only the status matters; the body is not read.
      await response.body?.cancel()
      return complaintAbout(response)
    } catch (error) {
      if (error instanceof ReceiverRefused) return error.message
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
      ...call.headers,
    },
    body: call.body,
    redirect: 'manual',
    signal,
    // A connection opened for another host name at this address must not be reused.
    keepalive: false,
    decompress: false,
    tls: isIP(hostname) === 0 ? { serverName: hostname } : {},
  })
}

async function resolve(hostname: string, rules: SendRules, signal: AbortSignal): Promise<string> {
  const address = await resolveHost(hostname, rules, signal)
  if (address === null) throw new ReceiverRefused('The address of the receiver is not public.')
  return address
}
