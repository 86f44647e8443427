import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { Operations } from '../../../gateway/ports/operations.ts'
import type { AlertRecord, Webhook } from '../../../rules/alerts/alert.ts'
import { formatOptionalTime, formatTime } from '../../../vocabulary/time.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { idOf } from './read-values.ts'
import { renderListing } from './render.ts'
import { WebhookBody } from './schema.ts'

const ACCOUNT_WEBHOOK = `${OPERATOR_PATH}/accounts/:id/webhook`

export function alertEndpoints(operations: Operations): Endpoint[] {
  return [
    listEndpoint({ path: `${OPERATOR_PATH}/alerts`, filters: ['account_id'] }, async (page, { query }) => {
      const accountId = query.get('account_id')
      return renderListing(
        await operations.listAlerts(accountId === null ? {} : { accountId }, page),
        renderAlert,
      )
    }),
    {
      method: 'GET',
      path: ACCOUNT_WEBHOOK,
      handle: async (exchange) => Response.json(renderWebhook(await operations.findWebhook(idOf(exchange)))),
    },
    putWebhook(operations),
    {
      method: 'DELETE',
      path: ACCOUNT_WEBHOOK,
      handle: async (exchange) => {
        const id = idOf(exchange)
        await operations.deleteWebhook(id, actorOf(exchange))
        return Response.json({ id, deleted: true })
      },
    },
  ]
}

function putWebhook(operations: Operations): Endpoint {
  const readBody = bodyReader(WebhookBody)
  return {
    method: 'PUT',
    path: ACCOUNT_WEBHOOK,
    handle: async (exchange) => {
      const { url, enabled = true } = await readBody(exchange)
      const input = { url, enabled }
      const { webhook, isNew } = await operations.putWebhook(idOf(exchange), input, actorOf(exchange))
      return Response.json({ ...renderWebhook(webhook), secret: isNew ? webhook.secret : null })
    },
  }
}

function renderWebhook({ accountId, url, enabled, createdAtMs }: Webhook): object {
  return { account_id: accountId, url, enabled, created_at: formatTime(createdAtMs) }
}

function renderAlert({ alert, delivery }: AlertRecord): object {
  return {
    id: alert.id,
    kind: alert.kind,
    account_id: alert.accountId,
    at: formatTime(alert.atMs),
    data: alert.data,
    delivery: {
      state: delivery.state,
      tries: delivery.tries,
      next_try_at: formatOptionalTime(delivery.dueAtMs),
      last_failure: delivery.lastFailure,
    },
  }
}
