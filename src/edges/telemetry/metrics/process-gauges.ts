import type { ProcessGauges } from './metrics.ts'

const STARTED_AT_SECONDS = Math.round((Date.now() - performance.now()) / 1_000)

export function readProcessGauges(version: string): ProcessGauges {
  const { user, system } = process.cpuUsage()
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1_000_000,
    startedAtSeconds: STARTED_AT_SECONDS,
    version,
  }
}
