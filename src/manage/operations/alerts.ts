import { isIP } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import type { AlertFilter, AlertRecord, Webhook } from '../../vocabulary/alert.ts'
import { type OperatorAlert, statusOf } from '../../vocabulary/observability/alert-channel.ts'
import { titleOf } from '../alerts/operator-message.ts'
import type { Page } from '../ports/page.ts'
import type { Changes, LocalOperations, OperationParts } from './parts.ts'
import { refuse, requireAccount, requireFound } from './refuse.ts'

export function alertOperations(parts: OperationParts) {
  const { storage, configuration, currencyName = 'USDT' } = parts
  const listAlerts = async (filter: AlertFilter, page: Page) => {
    // The list includes every alert so far.
    await parts.catchUp()
    return storage.listAlerts(filter, page)
  }
  return {
    listAlerts,
    listOperatorAlerts: async (filter, page) => {
      const { data, nextCursor } = await listAlerts(filter, page)
      const told = await storage.loadChannelDeliveries(data)
      const { accounts } = configuration.current()
      const view = (alert: AlertRecord) => {
        const account = accounts.get(alert.accountId ?? '')?.name ?? null
        return describeAlert(alert, { channels: told.get(alert.id) ?? [], currencyName, account })
      }
      return { data: data.map(view), nextCursor }
    },
    findWebhook: async (accountId) => {
      requireAccount(configuration.current(), accountId)
      return requireFound(await storage.findWebhook(accountId), 'webhook of account', accountId)
    },
  } satisfies Partial<LocalOperations>
}

interface Surroundings extends Pick<OperatorAlert, 'channels'> {
  readonly currencyName: string
  /** The name of its account; null when there is none. */
  readonly account: string | null
}

/** People know accounts by their names. */
function describeAlert(alert: AlertRecord, { channels, currencyName, account }: Surroundings): OperatorAlert {
  const said = titleOf({ ...alert, status: 'raised' }, currencyName)
  const title = account === null ? said : said.replace(alert.accountId ?? '', () => account)
  return { ...alert, title, status: statusOf(alert), channels }
}

export const alertChanges = {
  async putWebhook(change, accountId, input) {
    const { storage, random, allowsPrivateWebhooks = false } = change.parts
    requireAccount(change.snapshot, accountId)
    checkUrl(input.url, { allowsPrivate: allowsPrivateWebhooks })
    const before = await storage.findWebhook(accountId)
    const webhook: Webhook = {
      ...input,
      accountId,
      secret: before?.secret ?? random.secret().replace(/^sk-/, 'whsec_'),
      createdAtMs: before?.createdAtMs ?? change.nowMs,
    }
    if (!isDeepStrictEqual(before, webhook)) {
      const action = before === null ? 'webhook.created' : 'webhook.changed'
      const states = { before: before && describeWebhook(before), after: describeWebhook(webhook) }
      await storage.saveWebhook(webhook, change.audit(action, accountId, states))
    }
    return { ...webhook, secret: before === null ? webhook.secret : null }
  },

  async deleteWebhook(change, accountId) {
    const { storage } = change.parts
    requireAccount(change.snapshot, accountId)
    const before = requireFound(await storage.findWebhook(accountId), 'webhook of account', accountId)
    const states = { before: describeWebhook(before), after: null }
    await storage.deleteWebhook(accountId, change.audit('webhook.deleted', accountId, states))
  },
} satisfies Changes

/** Without its query, where receivers like to put what only the caller should know. */
function describeWebhook({ url, enabled }: Webhook) {
  const { origin, pathname } = new URL(url)
  return { url: `${origin}${pathname}`, enabled }
}

function checkUrl(text: string, { allowsPrivate }: { allowsPrivate: boolean }): void {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    refuse('url', 'url must be an http or https address.')
  }
  if (url.username !== '' || url.password !== '') refuse('url', 'url must not hold a user or a password.')
  if (!allowsPrivate && isPlainlyPrivate(url.hostname.replace(/^\[|\]$/g, ''))) {
    refuse('url', 'url must not lead to a private address.')
  }
}

/** As far as the text tells. What a name leads to is looked at each time it is called. */
function isPlainlyPrivate(hostname: string): boolean {
  return isIP(hostname) === 0 ? /(^|\.)localhost\.?$/i.test(hostname) : !isPublicAddress(hostname)
}
