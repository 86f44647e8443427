import packageFile from '../../../package.json' with { type: 'json' }
import type { Settings } from '../../edges/settings/settings.ts'
import type { Telemetry } from '../../edges/telemetry/otel/open-telemetry.ts'
import type { SystemServices } from '../system-services.ts'

/** How long a gateway that stops waits for its telemetry to be sent. */
export const TELEMETRY_FLUSH_MS = 3_000

/** Null when it is off; then nothing of it is loaded. */
export async function startTelemetry(
  { otel, logLevel }: Settings,
  { log, clock }: SystemServices,
): Promise<Telemetry | null> {
  if (otel === null) return null
  const { openTelemetry } = await import('../../edges/telemetry/otel/open-telemetry.ts')
  return openTelemetry(otel, { version: packageFile.version, log, logLevel, nowMs: clock.nowMs })
}
