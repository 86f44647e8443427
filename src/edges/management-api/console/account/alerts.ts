import {
  AlertFilter,
  AlertView,
  IssuedWebhook,
  WebhookPut,
  WebhookTest,
  WebhookView,
} from '../../../../vocabulary/alert.ts'
import { DELETED, listOf, one } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import { type AccountApiParts, concealed, concealFor } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: alerts', access: 'manage-alerts' } as const
const WEBHOOK = `${ACCOUNT_PATH}/webhook` as const

export const accountAlertEndpoints = [
  define({
    ...common,
    access: 'see-account',
    method: 'GET',
    path: `${ACCOUNT_PATH}/alerts`,
    id: 'consoleListAlerts',
    summary: 'List the alerts of an account, newest first',
    // The account in the path overrides the one in the query.
    query: AlertFilter.fields,
    answer: concealed(listOf(AlertView)),
    handle: async (parts, { page, visit }) =>
      concealFor(parts, visit, await parts.operations.listAlerts({ accountId: visit.accountId }, page)),
  }),
  define({
    ...common,
    method: 'GET',
    path: WEBHOOK,
    id: 'consoleShowWebhook',
    summary: 'Show the alert webhook of the account',
    answer: one(WebhookView),
    handle: ({ operations }, { visit }) => operations.findWebhook(visit.accountId),
  }),
  define({
    ...common,
    method: 'PUT',
    path: WEBHOOK,
    id: 'consolePutWebhook',
    summary: 'Set the alert webhook of the account',
    body: WebhookPut,
    answer: one(IssuedWebhook),
    handle: ({ operations }, { body, visit, actor }) => operations.putWebhook(visit.accountId, body, actor),
  }),
  define({
    ...common,
    method: 'DELETE',
    path: WEBHOOK,
    id: 'consoleDeleteWebhook',
    summary: 'Remove the webhook',
    answer: DELETED,
    handle: async ({ operations }, { visit, actor }) => {
      await operations.deleteWebhook(visit.accountId, actor)
      return visit.accountId
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: `${WEBHOOK}/test`,
    id: 'consoleTestWebhook',
    summary: 'Send a test to the webhook',
    answer: one(WebhookTest),
    handle: async ({ account }, { visit }) => {
      const failure = await account.testWebhook(visit.accountId)
      return { delivered: failure === null, failure }
    },
  }),
]
