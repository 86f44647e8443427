import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { accountPath, api } from './client.ts'

export type ModelKind = 'text' | 'image' | 'image-edit'
export type Format = 'chat-completion' | 'responses' | 'messages' | 'content-generation' | 'images'
export type Constraint = 'account' | 'key' | 'model' | 'routes' | 'credentials'

export interface BindingLimit {
  readonly value: number
  readonly constraint: Constraint
}

/** Per million tokens; `image` per picture. */
export interface ModelPrice {
  readonly input: string
  readonly output: string
  readonly cache_read: string
  readonly cache_write: string
  readonly image: string
}

export interface Model {
  readonly id: string
  readonly display_name: string | null
  readonly description: string | null
  readonly owned_by: string
  readonly kinds: readonly ModelKind[]
  readonly input_token_limit: number | null
  readonly output_token_limit: number | null
  readonly formats: readonly Format[]
  readonly suppliers: readonly string[]
  readonly source: 'shared' | 'byok' | 'mixed'
  /** Whether a request for it would find a supplier now. */
  readonly routeable: boolean
  /** Of the cheapest route; null when no route has a price. */
  readonly price: ModelPrice | null
  readonly limits: { readonly rpm: BindingLimit | null; readonly tpm: BindingLimit | null }
}

// The catalog changes when an operator changes it, and the account's events tell of that.
const FRESH_MS = 60_000

export function useModels(account: string): UseQueryResult<{ readonly data: readonly Model[] }> {
  return useQuery({
    queryKey: [account, 'models'],
    queryFn: ({ signal }) => api.get<{ data: Model[] }>(accountPath(account, '/models'), { signal }),
    staleTime: FRESH_MS,
  })
}
