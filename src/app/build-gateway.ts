import { fetchImage } from '../edges/image-fetcher/fetch-image.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { SupplierClient } from '../edges/supplier-client/supplier-client.ts'
import { credentialDisabler } from '../manage/alerts/disable-credential.ts'
import { CredentialVerifier } from '../manage/diagnostics/verify-credential.ts'
import { RefusalGuard } from '../rules/limits/window.ts'
import { LearnedParameters } from '../rules/routing/learned-parameters.ts'
import { LiveStreams } from '../serve/delivery/live-streams.ts'
import { ThinkingMemory } from '../serve/families/text/translate/thinking-memory.ts'
import type { Gateway } from '../serve/gateway.ts'
import { AccessTokens } from '../suppliers/access-tokens.ts'
import { redirectToSandbox } from '../suppliers/sandbox/index.ts'
import { openBackground } from './background-jobs.ts'
import type { Services } from './services.ts'
import { thoughtStore } from './shared-memory.ts'
import type { SystemServices } from './system-services.ts'

// How many body bytes of an account may be refused per minute: this many of the largest bodies, or at least 64 MiB.
const REFUSED_BODIES = 8
const MIN_REFUSED_BYTES = 64 * 1024 * 1024
// Enough for a reasoning model to answer with one word.
const VERIFY_PATIENCE_MS = 30_000

/** Builds what requests need, as configured. */
export function buildGateway(
  settings: Settings,
  { clock, random, log, observer }: SystemServices,
  services: Services & { readonly sandboxUrl: string | null },
): Gateway {
  // Changes of the system clock must not age idle connections.
  const callSupplier = new SupplierClient({ nowMs: clock.monotonicMs }, settings).call
  const { sandboxUrl } = services
  const callTools = {
    clock,
    tokens: new AccessTokens(clock, clock.monotonicMs),
    sandboxUrl,
    // Bun shares kept connections between all credentials.
    call: async (request: Request) => fetch(redirectToSandbox(request, sandboxUrl), { keepalive: false }),
  }
  const verifier = new CredentialVerifier({
    snapshot: services.configuration.current,
    router: services.router,
    disable: credentialDisabler({ ...services, watch: services.alerts.watch, clock, log }),
    callSupplier,
    callTools,
    patienceMs: VERIFY_PATIENCE_MS,
    clock,
    log,
  })
  return {
    snapshot: services.configuration.current,
    catalog: services.catalog,
    catchUp: services.configuration.catchUp,
    secrets: services.secrets,
    admissions: services.admissions,
    refusals: new RefusalGuard(clock, {
      maxBodyBytes: Math.max(MIN_REFUSED_BYTES, REFUSED_BODIES * settings.maxBodyBytes),
    }),
    refusedRequests: services.refusedRequests,
    journal: services.journal,
    callSupplier,
    callTools,
    router: services.router,
    alerts: services.alerts.watch,
    onCredentialRefused: (refusal) => void verifier.note(refusal),
    streams: new LiveStreams(),
    chunkGaps: services.metrics.gapsOf,
    thinking: new ThinkingMemory(clock, { store: thoughtStore(services.cluster, services) }),
    learned: new LearnedParameters({ nowMs: clock.monotonicMs }),
    replies: services.storage,
    background: openBackground(settings, services, log),
    maxBackgroundPerAccount: settings.backgroundPerAccount,
    conversations: services.storage,
    chats: services.storage,
    maxStoredBytes: settings.storedBytesPerAccount,
    bodies: services.bodies,
    fetchImage,
    assets: services.images.assets,
    publicUrl: settings.publicUrl,
    newId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
    timeouts: timeoutsOf(settings),
    clock,
    random,
    log,
    observer,
  }
}

function timeoutsOf(settings: Settings): Gateway['timeouts'] {
  return {
    connectMs: settings.connectTimeoutSeconds * 1_000,
    deadlineMs: settings.requestDeadlineSeconds * 1_000,
    firstByteMs: settings.firstByteTimeoutSeconds * 1_000,
    idleMs: settings.idleTimeoutSeconds * 1_000,
    heartbeatMs: settings.heartbeatSeconds * 1_000,
  }
}
