import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { showDone, showFailure } from '../layout/notify.ts'

export interface ActionOptions<Result> {
  /** Toast shown on success. */
  readonly done?: string | ((result: Result) => string)
  /** Prefixes of the query keys to refresh afterwards. */
  readonly refreshes?: readonly QueryKey[]
  readonly onDone?: (result: Result) => void
  /** Shows the error as a toast. Otherwise the page shows `error`. */
  readonly isFailureShown?: boolean
}

export interface Action<Input, Result> {
  /** Starts the action. Never throws: failures are in `error`. */
  run(input: Input): void
  /** Starts the action and waits. Throws on failure. */
  runAndWait(input: Input): Promise<Result>
  readonly isRunning: boolean
  readonly error: Error | null
  /** The last successful result. */
  readonly result: Result | undefined
  reset(): void
}

/** A change at the gateway, with its toasts and the queries it refreshes. */
export function useAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  options: ActionOptions<Result> = {},
): Action<Input, Result> {
  const queryClient = useQueryClient()
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: act,
    onSuccess: async (result) => {
      const { done, refreshes = [], onDone } = options
      await Promise.all(refreshes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      if (done !== undefined) showDone(typeof done === 'string' ? done : done(result))
      onDone?.(result)
    },
    onError: (error) => {
      if (options.isFailureShown) showFailure(error)
    },
  })
  return {
    run: (input) => mutation.mutate(input),
    runAndWait: (input) => mutation.mutateAsync(input),
    isRunning: mutation.isPending,
    error: mutation.error,
    result: mutation.data,
    reset: mutation.reset,
  }
}
