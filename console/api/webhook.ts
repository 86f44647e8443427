import { type QueryKey, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { accountPath, api } from './client.ts'
import type { IssuedWebhook, Webhook, WebhookPut, WebhookTest } from './wire.ts'

/** Null if the account has none. */
export function webhookQuery(queryKey: QueryKey, path: string) {
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) =>
      api.get<Webhook>(path, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }),
  })
}

export function useWebhook(account: string): UseQueryResult<Webhook | null> {
  return useQuery(webhookQuery([account, 'webhook'], accountPath(account, '/webhook')))
}

export function webhookCalls(account: string) {
  const path = accountPath(account, '/webhook')
  return {
    save: (webhook: WebhookPut) => api.put<IssuedWebhook>(path, webhook),
    remove: () => api.delete<unknown>(path),
    test: () => api.post<WebhookTest>(`${path}/test`),
  }
}
