import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { showDone, showFailure } from '../layout/notify.ts'

export interface ActionOptions<Result> {
  /** Said in passing when it worked. */
  readonly done?: string | ((result: Result) => string)
  /** Queries that ask again afterwards, by the beginning of their keys. */
  readonly refreshes?: readonly QueryKey[]
  readonly onDone?: (result: Result) => void
  /** Shows the failure in passing; otherwise the page shows `error` itself. */
  readonly isFailureShown?: boolean
}

export interface Action<Input, Result> {
  /** Starts it; failures are in `error` and never thrown. */
  run(input: Input): void
  /** Starts it and waits; throws what goes wrong. */
  runAndWait(input: Input): Promise<Result>
  readonly isRunning: boolean
  readonly error: Error | null
  /** Of the last time it worked. */
  readonly result: Result | undefined
  reset(): void
}

/** Something a user does that changes the gateway, with its notices and what it makes out of date. */
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
