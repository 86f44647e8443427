import { quantile } from '../measuring/statistics.ts'

/**
 * How long calls wait for a server that does one after the other, each in the same time, when they come by chance: the
 * whole of it is played through, call by call.
 */
export function playQueue(
  { share, serviceUs, calls }: { readonly share: number; readonly serviceUs: number; readonly calls: number },
  random: () => number,
): { readonly p50Us: number; readonly p99Us: number; readonly p999Us: number } {
  const gapUs = serviceUs / share
  const times = new Float64Array(calls)
  let now = 0
  let freeAt = 0
  for (let call = 0; call < calls; call += 1) {
    now += -Math.log(1 - random()) * gapUs
    freeAt = Math.max(now, freeAt) + serviceUs
    times[call] = freeAt - now
  }
  return { p50Us: quantile(times, 0.5), p99Us: quantile(times, 0.99), p999Us: quantile(times, 0.999) }
}
