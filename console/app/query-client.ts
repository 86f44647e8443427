import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'

const FRESH_MS = 15_000
const ATTEMPTS = 2

// A machine without the internet may still reach a gateway of its own, and whoever cannot is told so by the request.
const networkMode = 'always'

/** What was asked and answered; everything on screen comes from here. */
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

/** Whether asking again may help: what was refused for a reason is refused again. */
function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500
}
