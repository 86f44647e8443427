import type { Operations } from '../../../manage/ports/operations.ts'
import { AlertFilter, IssuedWebhook, WebhookPut, WebhookView } from '../../../vocabulary/alert.ts'
import { OperatorAlert } from '../../../vocabulary/observability/alert-channel.ts'
import { DELETED, definer, listOf, one } from '../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Alerts', access: 'operator' } as const

export const alertEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: '/alerts',
    id: 'listAlerts',
    summary: 'List alerts, newest first',
    query: AlertFilter.fields,
    answer: listOf(OperatorAlert),
    handle: (operations, { query, page }) => operations.listOperatorAlerts(query, page),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/accounts/:id/webhook',
    id: 'showWebhook',
    summary: 'Show the webhook of an account',
    answer: one(WebhookView),
    handle: (operations, { params }) => operations.findWebhook(params.id),
  }),
  define({
    ...common,
    method: 'PUT',
    path: '/accounts/:id/webhook',
    id: 'putWebhook',
    summary: 'Set the alert webhook of an account',
    description: 'The first answer contains the signing secret, which is never shown again.',
    body: WebhookPut,
    answer: one(IssuedWebhook),
    handle: (operations, { params, body, actor }) => operations.putWebhook(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: '/accounts/:id/webhook',
    id: 'deleteWebhook',
    summary: 'Remove the webhook of an account',
    answer: DELETED,
    handle: async (operations, { params, actor }) => {
      await operations.deleteWebhook(params.id, actor)
      return params.id
    },
  }),
]
