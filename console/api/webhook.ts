import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { accountPath, api } from './client.ts'

export interface Webhook {
  readonly url: string
  readonly enabled: boolean
  readonly created_at: string
  /** Only in the answer that made it. */
  readonly secret?: string | null
}

/** What came of a test event. */
export interface WebhookTest {
  readonly delivered: boolean
  readonly failure: string | null
}

/** null when the account has none. */
export function useWebhook(account: string): UseQueryResult<Webhook | null> {
  return useQuery({
    queryKey: [account, 'webhook'],
    queryFn: ({ signal }) =>
      api.get<Webhook>(accountPath(account, '/webhook'), { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }),
  })
}

export function webhookCalls(account: string) {
  const path = accountPath(account, '/webhook')
  return {
    save: (webhook: { url: string; enabled: boolean }) => api.put<Webhook>(path, webhook),
    remove: () => api.delete<unknown>(path),
    test: () => api.post<WebhookTest>(`${path}/test`),
  }
}
