import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'

const FRESH_MS = 15_000
const ATTEMPTS = 2

// An offline machine may still reach a local gateway. If not, the request fails with a clear error.
const networkMode = 'always'

/** The cache of all responses shown on screen. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < ATTEMPTS && isPassing(error),
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode, retry: false },
  },
})

/** Whether a retry may help. Client errors would only repeat. */
function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
