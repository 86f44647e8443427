import type { QueryClient } from '@tanstack/react-query'
import { accountPath, api } from './client.ts'
import type { PlaygroundKey } from './wire.ts'

const SPARE_MS = 60_000

const keyOf = (account: string) => [account, 'playground-key']

/** The console's own API key. Kept in memory only, and requested again after it expires. */
export async function playgroundKey(queryClient: QueryClient, account: string): Promise<string> {
  const kept = queryClient.getQueryData<PlaygroundKey>(keyOf(account))
  if (kept !== undefined && Date.parse(kept.expires_at ?? '') - Date.now() > SPARE_MS) return kept.secret
  const { secret } = await queryClient.fetchQuery({
    queryKey: keyOf(account),
    queryFn: () => api.post<PlaygroundKey>(accountPath(account, '/playground-key')),
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return secret
}

/** Forgets a secret that was refused. Another request may have fetched a newer one meanwhile, which stays. */
export function forgetPlaygroundKey(queryClient: QueryClient, account: string, refused: string): void {
  const kept = queryClient.getQueryData<PlaygroundKey>(keyOf(account))
  if (kept?.secret === refused) queryClient.removeQueries({ queryKey: keyOf(account) })
}
